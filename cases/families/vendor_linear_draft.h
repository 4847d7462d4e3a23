/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated cases of com.microsoft's QuantizeLinear and DequantizeLinear have in common: float types of 32 and
 * 16 bits, codes of 4, 8 and 16 bits, parameters per tensor or, with an explicit axis, per index. */
#ifndef QDIFF_FAMILIES_VENDOR_LINEAR_DRAFT_H
#define QDIFF_FAMILIES_VENDOR_LINEAR_DRAFT_H

#include "families/linear_draft.h"
#include "families/maker.h"

/* Factors of both tables, in this order. */
enum qd_vendor_linear_factor {
    QD_VENDOR_LINEAR_FLOAT,
    QD_VENDOR_LINEAR_CODES,
    QD_VENDOR_LINEAR_ZERO,
    QD_VENDOR_LINEAR_PARAMETERS,
    QD_VENDOR_LINEAR_RANK,
    QD_VENDOR_LINEAR_BINDING,
    QD_VENDOR_LINEAR_FACTORS
};

/* One case: the shapes, the types and the parameters, as tensors. */
struct qd_vendor_linear {
    struct qd_linear_draft shape;
    enum qd_dtype real, codes;
    struct qd_tensor scale, zero; /* zero.data NULL: absent */
};

/* Draws the parameters of a row; `simple`: scales that are powers of two. Failures are the maker's. */
struct qd_vendor_linear qd_vendor_linear_make(struct qd_maker *maker, const uint8_t *row,
                                              bool simple, struct qd_random *random);

/* The scale and zero point of element i. */
double qd_vendor_linear_scale(const struct qd_vendor_linear *draft, int64_t i);
double qd_vendor_linear_zero(const struct qd_vendor_linear *draft, int64_t i);

/* A zeroed tensor of the data's shape. */
struct qd_tensor qd_vendor_linear_data(struct qd_maker *maker, const struct qd_vendor_linear *draft,
                                       enum qd_dtype dtype);

/* Adds the node op(x, <side>_scale, <side>_zero_point) -> y with the tensors; `side` is "x" or "y". */
enum qd_status qd_vendor_linear_finish(struct qd_maker *maker, const struct qd_vendor_linear *draft,
                                       const uint8_t *row, const char *op, const char *side,
                                       const struct qd_tensor *x, const char *slug, const char *tag,
                                       struct qd_case *kase);

/* The words of a case's id: Vendor<op>/x-<dtype>,y-<dtype>/<values>-<features>. */
/* Levels and exclusions of both tables; quantization has an output of u8 where there is no zero point. */
extern const struct qd_factor qd_vendor_linear_factors[QD_VENDOR_LINEAR_FACTORS];
#define QD_VENDOR_LINEAR_NO_ZERO 5

#endif
