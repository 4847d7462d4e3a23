/* SPDX-License-Identifier: Apache-2.0 */
/* A small static quantizer (QDQ, uint8 or int8 activations, int8 weights), right or with one mistake. */
#ifndef QDIFF_WRONG_QUANTIZER_TESTLIB_H
#define QDIFF_WRONG_QUANTIZER_TESTLIB_H

#include "qdiff/quantizer.h"

/* QD_MISTAKE(NAME, class that has to notice it) */
#define QD_MISTAKE_LIST(QD_MISTAKE)                     \
    QD_MISTAKE(AXIS_DROPPED, MODEL_MISMATCH)            \
    QD_MISTAKE(AXIS_0_TAKEN_FOR_ABSENT, INVALID_MODEL)  \
    QD_MISTAKE(SNAPPED_WITHOUT_SCALE, WRONG_SNAPPING)   \
    QD_MISTAKE(SNAPPED_INT8, WRONG_SNAPPING)            \
    QD_MISTAKE(SNAPPED_APART, WRONG_SHARING)            \
    QD_MISTAKE(CONCAT_ON_INPUT_0, WRONG_SHARING)        \
    QD_MISTAKE(BIAS_SCALE, WRONG_BIAS)                  \
    QD_MISTAKE(ZERO_POINT_TRUNCATED, RANGE_NOT_COVERED) \
    QD_MISTAKE(NOT_WIDENED, RANGE_NOT_COVERED)          \
    QD_MISTAKE(RELU_DROPPED, MODEL_MISMATCH)            \
    QD_MISTAKE(OPTION_IGNORED, IGNORES_OPTION)          \
    QD_MISTAKE(SPLIT_OBSERVERS, WRONG_SHARING)          \
    QD_MISTAKE(WEIGHT_CODES, WRONG_PARAMETERS)

#define QD_MISTAKE_ENUM(name, class) QD_##name,
enum qd_mistake { QD_NO_MISTAKE, QD_MISTAKE_LIST(QD_MISTAKE_ENUM) QD_MISTAKE_COUNT };
#undef QD_MISTAKE_ENUM

/* Answers like qd_quantizer_run(); fails the test when it cannot. */
void qd_quantize_wrongly(const struct qd_case *kase, const struct qd_quantizer_request *request,
                         enum qd_mistake mistake, struct qd_arena *arena,
                         struct qd_quantizer_answer *answer);

#endif
