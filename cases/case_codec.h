/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a serialised qdiff.Case, for those inside cases/ that assemble one. Concatenated pieces are a case:
 * protobuf's fields come in any order. */
#ifndef QDIFF_CASES_CASE_CODEC_H
#define QDIFF_CASES_CASE_CODEC_H

#include "qdiff/case.h"
#include "qdiff/wire.h"

/* Field numbers of proto/case.proto, as they are written. */
enum qd_case_field {
    QD_CASE_FIELD_SCHEMA = 1,
    QD_CASE_FIELD_ID = 2,
    QD_CASE_FIELD_MODEL = 3,
    QD_CASE_FIELD_INPUT = 4,
    QD_CASE_FIELD_EXPECT = 5,
    QD_CASE_FIELD_ORIGIN = 6,
    QD_CASE_FIELD_TAG = 7,
    QD_CASE_FIELD_OUTPUT = 8,
    QD_CASE_FIELD_COMPUTED_OUTPUT = 9,
    QD_CASE_FIELD_WRONG_OUTPUT = 10,
    QD_CASE_FIELD_REQUEST = 11,
    QD_CASE_FIELD_BEFORE = 12
};
enum { EXPECT_KIND = 1, EXPECT_RULE = 2, EXPECT_TWIN = 3 };
enum {
    ORIGIN_SPEC = 1,
    ORIGIN_ISSUE = 2,
    ORIGIN_NOTE = 3,
    ORIGIN_SEED = 4,
    ORIGIN_GENERATOR = 5,
    ORIGIN_SYMPTOM = 6
};
enum { STEP_MODEL = 1, STEP_INPUT = 2, STEP_RUNS = 3, STEP_KEEP = 4 };

/* A case of nothing: texts "", id "unnamed", expected to be valid. */
struct qd_case qd_case_default(void);

/* Everything but the model, the inputs and the right outputs: what ONNX's layout has no place for. */
void qd_case_put_metadata(struct qd_wire_out *out, const struct qd_case *kase);

#endif
