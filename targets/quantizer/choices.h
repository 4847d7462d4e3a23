/* SPDX-License-Identifier: Apache-2.0 */
/* What the quantizer suite asks: families of ranges and options, as factors of a covering array. */
#ifndef QDIFF_QUANTIZER_CHOICES_H
#define QDIFF_QUANTIZER_CHOICES_H

#include "qdiff/covering.h"
#include "qdiff/dtype.h"
#include "qdiff/quantizer.h"
#include "quantizer/graphs.h"

/* The level of each factor is a number; 0 everywhere is what is asked most. */
enum qd_quantizer_factor {
    QD_CHOICE_FAMILY,
    QD_CHOICE_FORM, /* scheme and format: qdq, qoperator, dynamic */
    QD_CHOICE_ACTIVATION,
    QD_CHOICE_WEIGHT,
    QD_CHOICE_PER_CHANNEL,
    QD_CHOICE_RESTRICTED,
    QD_CHOICE_SYMMETRIC_ACTIVATIONS,
    QD_CHOICE_SYMMETRIC_WEIGHTS,
    QD_CHOICE_REDUCED,
    QD_CHOICE_EXCLUDE,
    QD_CHOICE_FLOAT, /* float32, float16 */
    QD_CHOICE_FACTORS
};

/* How a tensor's numbers lie. The graph's other ranges follow by computing it. */
struct qd_quantizer_family {
    const char *word;
    struct qd_quantizer_data data;
    bool spoilt;    /* the range of x is min to max, which a tool has to refuse */
    bool lacks_one; /* no range for what the first node gives: a tool may refuse */
    float min, max;
};

const struct qd_quantizer_family *qd_quantizer_family_of(const uint8_t *row);
enum qd_dtype qd_quantizer_float_of(const uint8_t *row);
struct qd_quantizer_options qd_quantizer_options_of(const uint8_t *row);

/* "qdq-u8s8-per_channel-restricted", into text; returns text. */
char *qd_quantizer_words_of(const uint8_t *row, char *text, size_t size);

/* The factors, with what excludes each other; `half`: whether float16 is among the float types. */
const struct qd_factor_table *qd_quantizer_choices(bool half);

/* Rows that every graph is asked at its usual opset, whatever the array holds; NULL past the end. The first
 * `QD_CHOICE_SMOKE` of them are the smoke level. */
enum { QD_CHOICE_SMOKE = 4 };
const uint8_t *qd_quantizer_base_at(size_t i);

/* One row for each family, which the smoke level asks of one graph; NULL past the end. */
const uint8_t *qd_quantizer_family_row_at(size_t i);

#endif
