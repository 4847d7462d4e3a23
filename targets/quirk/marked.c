/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/marked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODES, SCALE, ZERO_POINT };
enum { DIGITS = 32 };

static bool has_8_bits(const struct qd_rewrite *made, const struct qd_node *dequantize)
{
    enum qd_dtype type = qd_rewrite_dtype(made, qd_node_input(dequantize, CODES));
    if (type == QD_DTYPE_NONE)
        type = qd_rewrite_dtype(made, qd_node_input(dequantize, ZERO_POINT));
    return type == QD_U8 || type == QD_S8;
}

/* What only moves numbers is looked through. */
static const struct qd_node *dequantizer(const struct qd_rewrite *made, int value)
{
    const struct qd_node *move = qd_rewrite_producer(made, value, "Reshape");
    move = move ? move : qd_rewrite_producer(made, value, "Transpose");
    return move ? dequantizer(made, qd_node_input(move, 0))
                : qd_rewrite_producer(made, value, "DequantizeLinear");
}

bool qd_rewrite_steps(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                      bool eight_bits, struct qd_steps *steps)
{
    const struct qd_node *dequantize = dequantizer(made, qd_node_input(node, i));
    if (!dequantize || (eight_bits && !has_8_bits(made, dequantize)))
        return false;
    const struct qd_tensor *s = qd_rewrite_constant(made, qd_node_input(dequantize, SCALE));
    const struct qd_tensor *z = qd_rewrite_constant(made, qd_node_input(dequantize, ZERO_POINT));
    bool absent = qd_node_input(dequantize, ZERO_POINT) == QD_NO_VALUE;
    if (!s || s->count != 1 || s->dtype != QD_F32 || (!absent && (!z || z->count != 1)))
        return false;
    *steps = (struct qd_steps){(float)qd_tensor_value(s, 0), z ? (float)qd_tensor_value(z, 0) : 0};
    return true;
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

void qd_set_float(struct qd_value *y, int64_t i, float number)
{
    if (isfinite(number))
        qd_tensor_set(&y->want, i, (int64_t)qd_float_encode(QD_F32, (double)number, true));
}

void qd_close_value(struct qd_value *y)
{
    y->lo = y->hi = NULL;
    y->exact = NULL;
}
