/* SPDX-License-Identifier: Apache-2.0 */
/* From a real model to a case: one node cut out of it, with its own constants and the given inputs.
 *
 * The model may be large: it is mapped, not unpacked; only the node and what it reads are. Node, attributes and
 * constants keep their bytes. Constants in external data files (beside the model) are taken in. */
#ifndef QDIFF_IMPORT_H
#define QDIFF_IMPORT_H

#include "qdiff/case.h"

/* The largest model file that is read; protobuf's own limit. */
#define QD_IMPORT_MAX_BYTES ((size_t)2 << 30)

/* A tensor for a value of the model: "x" and the path of a .npy file, or of a .pb file (onnx.TensorProto). */
struct qd_import_feed {
    const char *name, *path;
};

/* "x=dir/x.npy", taken apart; USAGE. */
enum qd_status qd_import_feed_parse(const char *text, struct qd_arena *arena,
                                    struct qd_import_feed *feed, struct qd_error *error);

struct qd_import_options {
    const char *model; /* path of an .onnx file */
    /* Name of the node, or of one of its outputs where no node has that name; NULL: the whole model, which then has
     * to be within the limits of a case. */
    const char *node;
    const struct qd_import_feed
        *feeds; /* values that the node (or the model) reads and that are no constants */
    size_t feed_count;
    const char *id; /* NULL: "import/<model>/<node>" */
};

/* USAGE names what is missing or too much: no such node, a value nobody gives, a feed nobody reads. UNSUPPORTED names
 * what cannot be taken: subgraphs, model-local functions, types, file formats. Else as qd_case_decode. */
enum qd_status qd_import(const struct qd_import_options *options, struct qd_arena *arena,
                         struct qd_case *kase, struct qd_error *error);

/* Decodes a NumPy .npy file (format 1.0, 2.0, 3.0; little endian; C order) of float32, float64, float16, bool, int8
 * to int64, uint8, uint16. `want` is the tensor's type, or NONE for the file's own. Types that NumPy lacks are read
 * from their codes: bfloat16 from uint16; float8, uint4, uint2, float4 (one element a byte) from uint8; int4, int2
 * from int8; or from the void types V1 and V2 that ml_dtypes writes. MALFORMED, INVALID (another type than `want`),
 * UNSUPPORTED (big endian, Fortran order, other types), LIMIT, NO_MEMORY. */
enum qd_status qd_npy_decode(const uint8_t *bytes, size_t size, enum qd_dtype want,
                             struct qd_arena *arena, struct qd_tensor *tensor,
                             struct qd_error *error);

/* The same of a file; errors name it. LIMIT, IO. */
enum qd_status qd_npy_read(const char *path, enum qd_dtype want, struct qd_arena *arena,
                           struct qd_tensor *tensor, struct qd_error *error);

#endif
