/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "zero-point-cross-term-dropped": targets/include/qdiff/quirks.def says what it is. */
#include <string.h>

#include "qdiff/matmul.h"
#include "quirk/geometry.h"

/* Zero point number c of an operand: 0 if it is absent. */
static int64_t zero_point(const struct qd_edit *edit, enum qd_operand operand, int64_t c)
{
    int i = qd_operand_find(edit, operand);
    return i < 0 ? 0 : (int64_t)qd_parameter_at(edit->in[i], c);
}

/* What is missing from the sums of filter m. */
static int64_t missing(const struct qd_edit *edit, const struct qd_geometry *geometry, int64_t m)
{
    return qd_conv_terms(&geometry->shape) * zero_point(edit, QD_X_ZERO_POINT, 0) *
           zero_point(edit, QD_W_ZERO_POINT, m);
}

/* A sum has a bias to take it from. */
static void correct_bias(struct qd_edit *edit, const struct qd_geometry *geometry)
{
    enum { BIAS = 8 };
    bool given = edit->in[BIAS] != NULL;
    struct qd_tensor *bias = given ? qd_edit_copy(edit, BIAS)
                                   : qd_edit_new(edit, BIAS, QD_S32, 1, &geometry->shape.filters);
    for (int64_t m = 0; bias && m < bias->count; m++)
        qd_tensor_set(bias, m, qd_tensor_get(bias, m) - missing(edit, geometry, m));
}

static void correct_convolution(const struct qd_edit *edit, const struct qd_geometry *geometry,
                                struct qd_value *y)
{
    int64_t filters = geometry->shape.filters;
    int64_t plane = filters > 0 ? y->want.count / geometry->shape.batch / filters : 1;
    for (int64_t i = 0; i < y->want.count; i++)
        qd_tensor_set(&y->want, i,
                      qd_tensor_get(&y->want, i) - missing(edit, geometry, i / plane % filters));
}

static void correct_product(const struct qd_edit *edit, struct qd_value *y)
{
    struct qd_matmul_shape s;
    int a = qd_operand_find(edit, QD_X_ZERO_POINT);
    int b = qd_operand_find(edit, QD_W_ZERO_POINT);
    if (a < 0 || b < 0 ||
        qd_matmul_shape_read(&edit->evaluation, &edit->node, &edit->in[0]->want, &edit->in[1]->want,
                             &s) != QD_OK)
        return;
    const struct qd_tensor *za = &edit->in[a]->want, *zb = &edit->in[b]->want;
    for (int64_t i = 0; i < y->want.count; i++) {
        int64_t batch = i / (s.m * s.n), row = i / s.n % s.m, column = i % s.n;
        int64_t p = qd_matmul_parameter_index(za, qd_matmul_a_batch(&s, batch), s.m, row);
        int64_t q = qd_matmul_parameter_index(zb, qd_matmul_b_batch(&s, batch), s.n, column);
        qd_tensor_set(&y->want, i,
                      qd_tensor_get(&y->want, i) -
                          s.k * qd_tensor_get(za, p) * qd_tensor_get(zb, q));
    }
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    struct qd_edit edit;
    struct qd_geometry geometry;
    qd_edit_begin(&edit, evaluation, node, in);
    bool product = strcmp(node->op_type, "MatMulInteger") == 0;
    bool convolution = !product && qd_geometry_read(&edit, &geometry);
    bool requantized = strcmp(node->op_type, "QLinearConv") == 0;
    if (convolution && requantized)
        correct_bias(&edit, &geometry);
    enum qd_status status = qd_edit_run(&edit, self, out);
    if (status == QD_OK && product)
        correct_product(&edit, out);
    if (status == QD_OK && convolution && !requantized)
        correct_convolution(&edit, &geometry, out);
    return status;
}

const struct qd_override qd_quirk_zero_point_cross_term_dropped = {.node = evaluate};
