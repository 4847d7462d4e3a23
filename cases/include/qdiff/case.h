/* SPDX-License-Identifier: Apache-2.0 */
/* A case: an ONNX model, its input tensors and what is expected of a target.
 *
 * On disk a case is a serialised qdiff.Case (cases/proto/case.proto), "*.qdcase" (the build makes it: cases/README.md),
 * or a directory in ONNX's backend-test layout (model.onnx, test_data_set_0/input_0.pb ...). Every byte is hostile:
 * a linear pre-scan (depth, counts, duplicates, sizes) and a budgeted allocator come before every unpack. */
#ifndef QDIFF_CASE_H
#define QDIFF_CASE_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/graph.h"

enum qd_expect {
    QD_EXPECT_VALID,      /* outputs are what the reference computes */
    QD_EXPECT_MUST_REJECT /* a target has to refuse; `rule` names the broken rule */
};

/* Limits of the pre-scan; a file beyond one fails with LIMIT, naming it. */
#define QD_CASE_MAX_BYTES ((size_t)64 << 20)
#define QD_CASE_MAX_DEPTH 16
#define QD_CASE_MAX_FIELDS 200000 /* of all messages together; packed numbers are one field */

#define QD_CASE_MAX_STEPS 16
#define QD_CASE_MAX_STEP_RUNS 64 /* of one step */

/* What a target does before it runs a case, in the same process: bugs live between runs and sessions. */
struct qd_case_step {
    /* The serialised model and the same decoded; size 0: the case's own, whose graph it is, loaded once. */
    const uint8_t *model;
    size_t model_size;
    const struct qd_graph *graph;
    const struct qd_tensor *inputs; /* one per entry of graph->inputs; NULL if it is only loaded */
    unsigned runs;                  /* with these inputs; 0: it is only loaded */
    const struct qd_tensor
        *shapes; /* types and shapes of its outputs; NULL: the reference is asked */
    bool keep;   /* it stays loaded until the case has run; the case's own always does */
};

/* Texts are never NULL; "" stands for what the case does not say. */
struct qd_case {
    /* "op/types/feature-slug/hash8", "regressions/ort-28456-u8": printable ASCII without spaces, not "". */
    const char *id;
    /* The principal operator: the op_type, with "com.microsoft:" before it in that domain, of qd_graph_principal's
     * node; "" in a graph without nodes. */
    const char *op;

    /* The serialised onnx.ModelProto, byte for byte as stored, the same decoded, and the version of the default domain
     * that it imports (0: none). */
    const uint8_t *model;
    size_t model_size;
    const struct qd_graph *graph;
    int64_t opset;

    /* One tensor per entry of graph->inputs, of the declared types and shapes; input_count = graph->input_count. */
    size_t input_count;
    const struct qd_tensor *inputs;

    enum qd_expect expect;
    const char *rule; /* must-reject: the reference's rule id */
    const char *twin; /* must-reject: id of the valid case one edit away */

    const char *issue; /* public issue ("onnxruntime #28456") */
    /* Of a regression: "wrong-value", "rejects-valid", "accepts-invalid", "crash", "hang". */
    const char *symptom;
    const char *spec;      /* clause of the op's text */
    const char *note;      /* for people */
    uint64_t seed;         /* fuzzing: seed of the generator, else 0 */
    const char *generator; /* fuzzing: version of the generator */

    /* Generator family, value family ... ("tie", "near-tie", "saturation"): words like the id. */
    size_t tag_count;
    const char *const *tags;

    /* Right outputs stored with the case (official fixtures, regressions by hand): none, or one per graph output. */
    size_t output_count;
    const struct qd_tensor *stored_outputs;

    /* Symptom "wrong-value": what was once given instead, one per graph output
     * and of its declared type and shape; else none. */
    size_t wrong_count;
    const struct qd_tensor *wrong_outputs;

    /* A case of the quantizer role: what a tool is asked about the float model, as qdiff/quantizer.h encodes it. Size
     * 0: a case of the kernel role. */
    size_t request_size;
    const uint8_t *request;

    /* What comes first, in this order; the case is judged, they are not. */
    size_t step_count;
    const struct qd_case_step *steps;
};

/* Decodes a serialised qdiff.Case. Everything in *kase lives in the arena, `bytes` is not kept.
 * MALFORMED, LIMIT, NO_MEMORY, INVALID (graph invariants), UNSUPPORTED. */
enum qd_status qd_case_decode(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                              struct qd_case *kase, struct qd_error *error);

/* Serialises a case (deterministic: same case, same bytes). */
enum qd_status qd_case_encode(const struct qd_case *kase, struct qd_arena *arena, uint8_t **bytes,
                              size_t *size, struct qd_error *error);

/* Decodes an ONNX model into kase->model/graph/opset; the other fields get defaults. kase->inputs stays NULL: the
 * caller gives the tensors. */
enum qd_status qd_case_from_model(const uint8_t *model, size_t size, struct qd_arena *arena,
                                  struct qd_case *kase, struct qd_error *error);

/* The place of a graph value among the inputs of the case, −1 if it is none. */
int qd_case_input(const struct qd_case *kase, int value);

/* The tensor that the case holds of a graph value, an initializer or an input; NULL for what a node computes and for
 * QD_NO_VALUE. */
const struct qd_tensor *qd_case_tensor(const struct qd_case *kase, int value);

/* Decodes one serialised onnx.TensorProto, and the opposite. *name may be "". */
enum qd_status qd_tensor_decode(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                                const char **name, struct qd_tensor *tensor,
                                struct qd_error *error);
enum qd_status qd_tensor_encode(const struct qd_tensor *tensor, const char *name,
                                struct qd_arena *arena, uint8_t **bytes, size_t *size,
                                struct qd_error *error);

/* Loads a case from a .qdcase file, a directory in ONNX's backend-test layout (its `qdiff.pb`, if there, gives id,
 * expectation and origin; else the id is the directory's name; test_data_set_0 gives tensors, or, when `path` ends
 * in a test_data_set_<n>, that one; stored outputs are kept) or a bare .onnx file (USAGE if its model has inputs). */
enum qd_status qd_case_load(const char *path, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error);

/* Writes a .qdcase file / a directory in ONNX's layout, from which load gives the same case back. With `outputs`
 * (the reference's, as tensors; count = graph->output_count, NULL: none) output_<i>.pb files are written for a case
 * that stores none itself; load leaves those out. Never overwrites a foreign directory: USAGE if `path` exists and
 * is neither empty nor a case directory. */
enum qd_status qd_case_save(const struct qd_case *kase, const char *path, struct qd_error *error);
enum qd_status qd_case_export(const struct qd_case *kase, const char *path,
                              const struct qd_tensor *outputs, struct qd_error *error);

/* One file of the directory that export writes: "model.onnx", "test_data_set_0/input_0.pb", "qdiff.pb" ... */
struct qd_case_file {
    const char *path; /* below the case's directory */
    const uint8_t *bytes;
    size_t size;
};
#define QD_CASE_DATA_SET "test_data_set_0"

/* The files that qd_case_export would write, in the arena (or the case's own). The same case and outputs always give
 * the same bytes. */
enum qd_status qd_case_files(const struct qd_case *kase, const struct qd_tensor *outputs,
                             struct qd_arena *arena, const struct qd_case_file **files,
                             size_t *count, struct qd_error *error);

/* The case of such files, as qd_case_load reads it from a directory that holds them and no others; errors name
 * `directory`, which gives the id where there is no qdiff.pb. */
enum qd_status qd_case_of_files(const char *directory, const struct qd_case_file *files,
                                size_t count, struct qd_arena *arena, struct qd_case *kase,
                                struct qd_error *error);

/* A file's bytes, into the arena. LIMIT above `limit` bytes, IO, NO_MEMORY. */
enum qd_status qd_file_read(const char *path, size_t limit, struct qd_arena *arena, uint8_t **bytes,
                            size_t *size, struct qd_error *error);
/* The same of a regular file at `name` below a directory: a name from outside, which leads through no ".." and no
 * link. INVALID where it does; else as qd_file_read. */
enum qd_status qd_file_read_below(const char *directory, const char *name, size_t limit,
                                  struct qd_arena *arena, uint8_t **bytes, size_t *size,
                                  struct qd_error *error);
/* Opens it for reading. *fd is the caller's. INVALID, IO. */
enum qd_status qd_file_open_below(const char *directory, const char *name, int *fd,
                                  struct qd_error *error);
/* Writes all bytes to an open descriptor, also if signals interrupt it. False with errno set. */
bool qd_file_write_fd(int fd, const void *bytes, size_t size);
/* Writes a whole file by write, fsync and rename: never torn. */
enum qd_status qd_file_write(const char *path, const void *bytes, size_t size,
                             struct qd_error *error);

#endif
