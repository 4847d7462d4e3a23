/* SPDX-License-Identifier: Apache-2.0 */
/* The pack: the suite as files that any ONNX runtime can be tested with, without qdiff.
 *
 *   <pack>/manifest.sha256   "<SHA-256>  <path>" of every other file, sorted by path: sha256sum --check reads it
 *   <pack>/index.jsonl       JSON Lines: a header, then one object a case, in the suite's order
 *   <pack>/node/<test>/      cases with one admissible answer per element, and a data.json that says so to ONNX's own
 *                            runner
 *   <pack>/latitude/<test>/  cases with elements that have several: test_data_set_0 holds also
 *       lo_<i>.pb, hi_<i>.pb   double, of output i's shape: lo <= have <= hi is right. NaN only where both are NaN
 *       open_<i>.pb            uint8, only if some element is not 0: 1 = the specification defines nothing, any answer
 *                              is right
 *   <pack>/reject/<test>/    cases that have to be rejected; the index names the rule
 *
 * Each <test> is a case directory (case.h) in ONNX's backend-test layout. The same suite gives the same bytes. */
#ifndef QDIFF_REPORTS_PACK_H
#define QDIFF_REPORTS_PACK_H

#include <stdio.h>

#include "digest/digest_map.h"
#include "qdiff/evaluated.h"
#include "qdiff/suite.h"

#define QD_PACK_SCHEMA 1
#define QD_PACK_MANIFEST "manifest.sha256"
#define QD_PACK_INDEX "index.jsonl"
#define QD_PACK_NAME 128 /* room for "latitude/test_..." */

/* --- Writing ---------------------------------------------------------------------------------- */

struct qd_pack_entry {
    const char *path;
    struct qd_digest digest;
};

/* A pack being written, in a directory beside its place. */
struct qd_pack {
    const char *path, *partial;
    struct qd_arena arena; /* paths */
    struct qd_pack_entry *entries;
    size_t entry_count, capacity;
    FILE *index;
    size_t cases, node, latitude, reject;
    struct qd_digest_map names;
};

/* Starts a pack that will be `path`. USAGE if that exists and is no empty directory, IO. */
enum qd_status qd_pack_begin(const char *path, enum qd_level level, struct qd_pack *pack,
                             struct qd_error *error);

/* Adds an evaluated case; the arena is for what is needed meanwhile. */
enum qd_status qd_pack_add(struct qd_pack *pack, const struct qd_evaluated *evaluated,
                           enum qd_level level, struct qd_arena *arena, struct qd_error *error);

/* Writes the manifest and gives the pack its name. *manifest is the SHA-256 of the manifest: that of the whole. */
enum qd_status qd_pack_finish(struct qd_pack *pack, struct qd_digest *manifest,
                              struct qd_error *error);

/* Frees; a pack that was not finished leaves nothing behind. */
void qd_pack_end(struct qd_pack *pack);

/* "node/test_QLinearConv_u8u8u8_..._1a2b3c4d": unique, in letters, digits, '_', '-' and '.'. The last eight digits are
 * of the SHA-256 of the id. */
void qd_pack_name(const char *kind, const char *id, char name[QD_PACK_NAME]);

/* --- Reading ---------------------------------------------------------------------------------- */

/* Whether a path is a directory with a manifest. */
bool qd_pack_is(const char *path);

/* Visits the pack's cases of `level` and below in the order of its index. The directory holds the manifest's files
 * and no others, no link among them, each of one case; a file is read once and compared with the manifest before it
 * is used. INVALID names the file and what of the case it holds, or the line and field of the index. */
enum qd_status qd_pack_visit(const char *path, enum qd_level level, qd_case_visitor *visit,
                             void *context, struct qd_error *error);

#endif
