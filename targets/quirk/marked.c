/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/marked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdiff/broadcast.h"
#include "quirk/edit.h"

enum { CODES, SCALE, ZERO_POINT };
enum { DIGITS = 32 };

/* Operand i, whatever Identity stands between. */
static int source(const struct qd_rewrite *made, const struct qd_node *node, size_t i)
{
    return qd_rewrite_source(made, qd_node_input(node, i));
}

/* A value before it was moved. */
static int unmoved(const struct qd_rewrite *made, int value)
{
    static const char *const moves[] = {"Identity", "Reshape", "Transpose"};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        const struct qd_node *move = qd_rewrite_producer(made, value, moves[i]);
        if (move)
            return unmoved(made, qd_node_input(move, 0));
    }
    return value;
}

static bool has_8_bits(const struct qd_rewrite *made, const struct qd_node *dequantize)
{
    enum qd_dtype type = qd_rewrite_dtype(made, unmoved(made, qd_node_input(dequantize, CODES)));
    if (type == QD_DTYPE_NONE)
        type = qd_rewrite_dtype(made, unmoved(made, qd_node_input(dequantize, ZERO_POINT)));
    return type == QD_U8 || type == QD_S8;
}

/* What only moves numbers is looked through. */
static const struct qd_node *dequantizer(const struct qd_rewrite *made, int value)
{
    return qd_rewrite_producer(made, unmoved(made, value), "DequantizeLinear");
}

/* One that was moved has one element, or is none that is looked at. */
static const struct qd_tensor *parameter(const struct qd_rewrite *made,
                                         const struct qd_node *dequantize, size_t i)
{
    return qd_rewrite_constant(made, unmoved(made, qd_node_input(dequantize, i)));
}

bool qd_rewrite_steps(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                      bool eight_bits, struct qd_steps *steps)
{
    const struct qd_node *dequantize = dequantizer(made, qd_node_input(node, i));
    if (!dequantize || (eight_bits && !has_8_bits(made, dequantize)))
        return false;
    const struct qd_tensor *s = parameter(made, dequantize, SCALE);
    const struct qd_tensor *z = parameter(made, dequantize, ZERO_POINT);
    bool absent = qd_node_input(dequantize, ZERO_POINT) == QD_NO_VALUE;
    if (!s || s->count != 1 || s->dtype != QD_F32 || (!absent && (!z || z->count != 1)))
        return false;
    *steps = (struct qd_steps){(float)qd_tensor_value(s, 0), z ? (float)qd_tensor_value(z, 0) : 0};
    return true;
}

bool qd_rewrite_is_constant(const struct qd_rewrite *made, const struct qd_node *node, size_t i)
{
    int value = source(made, node, i);
    const struct qd_node *dequantize = qd_rewrite_producer(made, value, "DequantizeLinear");
    return qd_rewrite_constant(made, dequantize ? source(made, dequantize, CODES) : value) != NULL;
}

void qd_mark_numbers(struct qd_rewrite *made, const struct qd_node *node, const char *mark,
                     const float *numbers, size_t count)
{
    size_t at = strlen(mark), room = at + count * DIGITS + 1;
    char *name = qd_arena_array(made->arena, room, 1);
    if (!name)
        return;
    memcpy(name, mark, at + 1);
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(name + at, room - at, " %a", (double)numbers[i]);
    made->nodes[node - made->nodes].name = name;
}

bool qd_marked_numbers(const struct qd_node *node, const char *mark, float *numbers, size_t count)
{
    size_t length = strlen(mark);
    if (!node->name || strncmp(node->name, mark, length) != 0)
        return false;
    const char *at = node->name + length;
    for (size_t i = 0; i < count; i++) {
        char *rest;
        numbers[i] = strtof(at, &rest);
        at = rest;
    }
    return true;
}

float qd_code_before(const struct qd_tensor *numbers, int64_t i, struct qd_steps steps)
{
    return rintf((float)qd_tensor_value(numbers, i) / steps.scale) + steps.zero;
}

void qd_mark_steps(struct qd_rewrite *made, const struct qd_node *node, const char *op_type,
                   const char *mark)
{
    struct qd_steps x;
    if (!qd_node_is(node, op_type) || !qd_rewrite_steps(made, node, 0, true, &x))
        return;
    const float numbers[] = {x.scale, x.zero};
    qd_mark_numbers(made, node, mark, numbers, sizeof numbers / sizeof *numbers);
}

bool qd_evaluate_steps(const struct qd_override *self, struct qd_evaluation *evaluation,
                       const struct qd_node *node, const struct qd_value *const *in,
                       struct qd_value *out, const char *mark, float *numbers, size_t count,
                       enum qd_status *status)
{
    *status = qd_override_node(evaluation, self->next, node, in, out);
    return *status == QD_OK && out[0].want.dtype == QD_F32 &&
           qd_marked_numbers(node, mark, numbers, count);
}

static float code_for(const struct qd_value *operand, const struct qd_tensor *y, int64_t i,
                      struct qd_steps steps)
{
    const struct qd_tensor *x = &operand->want;
    return qd_code_before(x, qd_broadcast_element(x, y, i), steps);
}

enum qd_status qd_evaluate_pair(const struct qd_override *self, struct qd_evaluation *evaluation,
                                const struct qd_node *node, const struct qd_value *const *in,
                                struct qd_value *out, const char *mark, size_t count,
                                qd_of_codes *f)
{
    float of[QD_MOST_MARKED] = {0};
    enum qd_status status;
    if (!qd_evaluate_steps(self, evaluation, node, in, out, mark, of, count, &status))
        return status;
    const struct qd_steps a = {of[QD_A_SCALE], of[QD_A_ZERO]}, b = {of[QD_B_SCALE], of[QD_B_ZERO]};
    for (int64_t i = 0; i < out[0].want.count; i++)
        qd_set_float(
            &out[0], i,
            f(of, code_for(in[0], &out[0].want, i, a), code_for(in[1], &out[0].want, i, b)));
    qd_close_value(&out[0]);
    return QD_OK;
}
