/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization parameters as operators take them: scales and zero points, scalar or one per
 * channel. */
#ifndef QDIFF_REFERENCE_OPERAND_CHECKS_H
#define QDIFF_REFERENCE_OPERAND_CHECKS_H

#include "qdiff/evaluate.h"

#define QD_ONE_FOR_ALL (-1) /* instead of a number of channels: no vectors */

/* Fails with rule "<op>/<name>-shape" unless the tensor is a scalar or [1] or [channels]; a vector
 * for no channels at all is UNSUPPORTED: the specification does not say. */
enum qd_status qd_parameter_shape(const struct qd_evaluation *evaluation,
                                  const struct qd_node *node, const char *name,
                                  const struct qd_tensor *tensor, int64_t channels);

/* Fails with rule "<op>/<zero_name>-shape" unless a scale and its zero point have the same shape; a
 * scalar and [1] are taken for the same. */
enum qd_status qd_pair_shape(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             const char *scale_name, const struct qd_tensor *scale,
                             const char *zero_name, const struct qd_tensor *zero_point);

/* Fails with rule "<op>/<name>-type" unless the dtype is one of the mask (bit 1 << enum
 * qd_dtype). */
enum qd_status qd_operand_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                               const char *name, const struct qd_tensor *tensor, uint32_t mask);
#define QD_TYPE_BIT(dtype) ((uint32_t)1 << (dtype))
#define QD_8BIT_TYPES (QD_TYPE_BIT(QD_U8) | QD_TYPE_BIT(QD_S8))
#define QD_WIDE_INTEGERS (QD_TYPE_BIT(QD_S32) | QD_TYPE_BIT(QD_S64))
#define QD_INTEGER_TYPES /* of 8 bits and more */ \
    (QD_8BIT_TYPES | QD_TYPE_BIT(QD_U16) | QD_TYPE_BIT(QD_S16) | QD_WIDE_INTEGERS)
#define QD_FLOAT_TYPES (QD_TYPE_BIT(QD_F32) | QD_TYPE_BIT(QD_F16) | QD_TYPE_BIT(QD_BF16))
#define QD_FLOAT8_TYPES                                                               \
    (QD_TYPE_BIT(QD_F8E4M3FN) | QD_TYPE_BIT(QD_F8E4M3FNUZ) | QD_TYPE_BIT(QD_F8E5M2) | \
     QD_TYPE_BIT(QD_F8E5M2FNUZ))

/* The operand of a float operator that the reference computes: f32, f16 and, since `bf16_since`,
 * bf16. f64, which the specification allows too, is UNSUPPORTED; other types break rule
 * "<op>/<name>-type". */
enum qd_status qd_real_operand_type(const struct qd_evaluation *evaluation,
                                    const struct qd_node *node, const char *name,
                                    const struct qd_tensor *tensor, int64_t bf16_since);

/* Fails with rule "<op>/<name>-type" unless `tensor` has the type of `of`. */
enum qd_status qd_same_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *name, const struct qd_tensor *tensor,
                            const struct qd_tensor *of);

/* Parameters and codes must be points: fails with UNSUPPORTED when an operand is an interval or
 * unspecified. */
enum qd_status qd_operands_are_points(const struct qd_evaluation *evaluation,
                                      const struct qd_node *node, const struct qd_value *const *in,
                                      size_t count);

/* Whether every element is 0. */
bool qd_parameter_is_zero(const struct qd_tensor *tensor);

/* Whether |s| is a power of two: multiplying by it rounds nothing but subnormals. */
bool qd_scale_is_power_of_two(double s);

/* Whether what the conversion of an infinity to the type gives is left open: up to opset 23 the
 * table of Cast, which QuantizeLinear refers to, turns it into NaN for the FNUZ types even when it
 * saturates, and ONNX's own implementation into the largest value (onnx #6220); from 24 on the
 * table says the latter. */
bool qd_float8_infinity_is_open(enum qd_dtype type, bool saturate, int64_t opset);

/* Entry c of a scalar, [1] or [channels] parameter, as a number. */
double qd_parameter(const struct qd_tensor *tensor, int64_t c);

#endif
