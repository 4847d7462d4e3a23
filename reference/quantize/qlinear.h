/* SPDX-License-Identifier: Apache-2.0 */
/* What the QLinear operators of com.microsoft share: operands with one scale and zero point each,
 * and codes as the permitted evaluation orders give them.
 *
 * Source: ONNX Runtime's ContribOperators ("dequantize, compute, quantize"); reference/README.md,
 * "Admissible sets". */
#ifndef QDIFF_REFERENCE_QLINEAR_H
#define QDIFF_REFERENCE_QLINEAR_H

#include "qdiff/interval.h"
#include "quantize/requantize.h"

/* --- Operands --------------------------------------------------------------------------------- */

/* Three inputs that belong together. An absent zero point (index in range, operand NULL) is 0. */
struct qd_qlinear {
    const struct qd_tensor *codes; /* NULL for an output's parameters */
    const int16_t *centred;        /* codes minus zero point, through the zero_points switch */
    double scale;
    int64_t zero_point; /* as given */
};

/* Whether a vector of one element passes for a scalar: the specifications of QLinearAdd,
 * QLinearMul, QLinearAveragePool and QLinearReduceMean insist on a scalar (and their shape
 * inference does), the kernels of the others take both. */
enum qd_single { QD_SCALAR_OR_ONE, QD_SCALAR_ONLY };

/* Reads codes (NULL: none), scale and zero point (NULL: absent) under the names <name>,
 * <name>_scale and <name>_zero_point. `type` is the type of codes and zero point, NONE: any 8-bit
 * type of the codes. Rules: <name>-type, <name>_scale-type, <name>_zero_point-type,
 * <name>_scale-shape, <name>_zero_point-shape. UNSUPPORTED: an operand that is no point. */
enum qd_status qd_qlinear_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                               const char *name, const struct qd_value *codes,
                               const struct qd_value *scale, const struct qd_value *zero_point,
                               enum qd_dtype type, enum qd_single single, struct qd_qlinear *out);

/* The quantizer of an output with these parameters and type. */
struct qd_output_quantizer qd_qlinear_quantizer(const struct qd_evaluation *evaluation,
                                                enum qd_dtype type, const struct qd_qlinear *y);

/* --- Numbers and codes ------------------------------------------------------------------------ */

/* The canonical code, and the hull with what float32 gives, of number/y_scale: the number is known
 * to lie in `exact` (both ends of one sign, at most 53 bits) and computed with a relative error of
 * at most `relative` (0: exactly, `exact` being a float32). Where `exact` has several codes none is
 * canonical. *real becomes its lower end over y_scale. */
struct qd_code qd_code_of_interval(const struct qd_output_quantizer *quantizer,
                                   struct qd_interval exact, double relative, double y_scale,
                                   struct qd_ratio *real);

/* Whether all scales are finite and the divisor is not 0; else every element is unspecified. */
bool qd_scales_defined(const double *scales, size_t count, double divisor);

/* Stores a code whose exact number, without the zero point, is `real`. */
enum qd_status qd_qlinear_store(const struct qd_evaluation *evaluation, struct qd_value *y,
                                int64_t i, struct qd_code code, struct qd_ratio real);

/* --- One operand ------------------------------------------------------------------------------ */

/* The code of q·scale/y_scale. QD_ORDERS_RESCALE. */
struct qd_code qd_qlinear_rescale(const struct qd_output_quantizer *quantizer, int16_t q,
                                  double scale, double y_scale, struct qd_ratio *real);

/* The code of f(q·scale)/y_scale and, where it is one, the exact number behind it; scales are
 * defined. */
typedef struct qd_code qd_qlinear_function(const void *context,
                                           const struct qd_output_quantizer *quantizer, int16_t q,
                                           double scale, double y_scale, struct qd_ratio *real);

/* The function of every element of x, of y's `type` and x's shape. */
enum qd_status qd_qlinear_map(const struct qd_evaluation *evaluation, const struct qd_qlinear *x,
                              enum qd_dtype type, const struct qd_qlinear *y,
                              qd_qlinear_function *function, const void *context,
                              struct qd_value *out);

/* x's codes with y's parameters: qd_qlinear_map of qd_qlinear_rescale. */
enum qd_status qd_qlinear_requantize(const struct qd_evaluation *evaluation,
                                     const struct qd_qlinear *x, enum qd_dtype type,
                                     const struct qd_qlinear *y, struct qd_value *out);

/* A whole operator of inputs x, x_scale, x_zero_point, y_scale, y_zero_point; the rules are
 * qd_qlinear_read's. */
enum qd_status qd_qlinear_unary(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const struct qd_value *const *in, qd_qlinear_function *function,
                                const void *context, struct qd_value *out);

/* --- Means ------------------------------------------------------------------------------------ */

/* Codes (zero point subtracted) being averaged. */
enum { QD_FEW_CODES = 4 };
struct qd_mean {
    int64_t sum, magnitude, terms; /* Σq, Σ|q|, how many */
    int64_t rounded;               /* of which so many are not 0: 0 is added without a rounding */
    int16_t first[QD_FEW_CODES];   /* of these */
    uint16_t bits;                 /* all |q|, or-ed: its lowest set bit divides every q */
};
void qd_mean_include(struct qd_mean *mean, int16_t q);

/* Stores the code of x_scale·Σq/(divisor·y_scale): QD_ORDERS_MEAN. 0 ≤ divisor < 2^31; 0:
 * unspecified. A divisor beyond 2^24 is rounded to nearest first. */
enum qd_status qd_mean_store(const struct qd_evaluation *evaluation, const struct qd_mean *mean,
                             int64_t divisor, const struct qd_qlinear *x,
                             const struct qd_output_quantizer *quantizer, double y_scale,
                             struct qd_value *y, int64_t i);

/* The means of x over the axes i with reduced[i], with y's parameters; reduced axes stay as 1 where
 * `keep`. */
enum qd_status qd_qlinear_reduce_mean(const struct qd_evaluation *evaluation,
                                      const struct qd_qlinear *x, const struct qd_qlinear *y,
                                      const bool *reduced, bool keep, struct qd_value *out);

/* --- Two operands ----------------------------------------------------------------------------- */

struct qd_qlinear_binary {
    const struct qd_evaluation *evaluation;
    struct qd_qlinear a, b, c; /* c: the output's parameters */
    struct qd_output_quantizer quantizer;
    bool defined;
};

/* The code of one pair of codes (zero points subtracted), and the exact number behind it. */
typedef struct qd_code qd_qlinear_pair(const struct qd_qlinear_binary *binary, int16_t a, int16_t b,
                                       struct qd_ratio *real);

/* Inputs a, a_scale, a_zero_point, b, b_scale, b_zero_point, c_scale, c_zero_point of one 8-bit
 * type, parameters scalars; with broadcasting. Rules: those of qd_qlinear_read and broadcast. */
enum qd_status qd_qlinear_binary(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                 const struct qd_value *const *in, qd_qlinear_pair *pair,
                                 struct qd_value *out);

#endif
