/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of QDQ graphs: how a tensor is quantized, and the initializers and nodes that say so. */
#ifndef QDIFF_FAMILIES_QDQ_PARTS_H
#define QDIFF_FAMILIES_QDQ_PARTS_H

#include "qdiff/build.h"

#define QD_QDQ_CHANNELS 16

/* Where zero points lie: at code 0, in the middle, at an odd distance from the least code, at either end. */
enum qd_qdq_zero { QD_QDQ_CODE_0, QD_QDQ_MIDDLE, QD_QDQ_ODD, QD_QDQ_ENDS };

/* A zero point; every role has its own number, so that they differ. */
int64_t qd_qdq_zero_of(enum qd_dtype type, enum qd_qdq_zero zero, int64_t role);

/* The nearest code of the type. */
int64_t qd_qdq_clamp(enum qd_dtype type, int64_t code);

/* How a tensor is quantized; count 1: per tensor. Codes of int32 have no zero point, nor has a grid without one. */
struct qd_grid {
    enum qd_dtype type;
    int64_t count, zero[QD_QDQ_CHANNELS];
    double scale[QD_QDQ_CHANNELS];
    bool without_zero_point;
};

/* A model under construction. */
struct qd_qdq_maker {
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_builder *builder;
    enum qd_status status; /* the first failure */
};

/* The bits of a float32. */
int64_t qd_qdq_float_code(double value);

/* An initializer; codes of `dtype` in `values`. rank 0 or 1. */
void qd_qdq_put_list(struct qd_qdq_maker *m, const char *name, enum qd_dtype dtype, unsigned rank,
                     const int64_t *values, int64_t count);

/* The initializers <name>_scale and, where the grid has one, <name>_zero_point. */
void qd_qdq_put_grid(struct qd_qdq_maker *m, const char *name, const struct qd_grid *grid);

/* QuantizeLinear or DequantizeLinear with the parameters named `parameters`, which are `grid`'s. */
void qd_qdq_put_node(struct qd_qdq_maker *m, const char *op_type, const char *in, const char *out,
                     const char *parameters, const struct qd_grid *grid, int64_t axis);

/* The parameters of `name` and the node that makes <name>_real of it, or that makes it of `in`. */
void qd_qdq_dequantize(struct qd_qdq_maker *m, const char *name, const struct qd_grid *grid,
                       int64_t axis);
void qd_qdq_quantize(struct qd_qdq_maker *m, const char *in, const char *name,
                     const struct qd_grid *grid);

#endif
