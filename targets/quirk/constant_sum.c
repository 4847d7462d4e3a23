/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/constant_sum.h"

#include "qdiff/broadcast.h"
#include "quirk/edit.h"

enum { A, B };
enum { SCALE, ZERO, OF_B, SIGN_OF_CODES, SIGN_OF_CONSTANT, NUMBERS };

/* Whether no codes are looked for in operand i: it is constant or, where those of 8 bits alone count, of wider ones. */
static bool is_number(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                      bool eight_bits)
{
    struct qd_steps steps;
    return qd_rewrite_is_constant(made, node, i) ||
           (eight_bits && qd_rewrite_steps(made, node, i, false, &steps) &&
            !qd_rewrite_steps(made, node, i, true, &steps));
}

void qd_mark_constant_sum(struct qd_rewrite *made, const struct qd_node *node, const char *mark,
                          bool eight_bits)
{
    bool sum = qd_node_is(node, "Add");
    if (!sum && !qd_node_is(node, "Sub"))
        return;
    size_t of = is_number(made, node, A, eight_bits) ? B : A;
    struct qd_steps steps;
    if (is_number(made, node, of, eight_bits) || !is_number(made, node, 1 - of, eight_bits) ||
        !qd_rewrite_steps(made, node, of, eight_bits, &steps))
        return;
    const float numbers[NUMBERS] = {steps.scale, steps.zero, (float)of, of == B && !sum ? -1 : 1,
                                    of == A && !sum ? -1 : 1};
    qd_mark_numbers(made, node, mark, numbers, NUMBERS);
}

enum qd_status qd_evaluate_constant_sum(const struct qd_override *self,
                                        struct qd_evaluation *evaluation,
                                        const struct qd_node *node,
                                        const struct qd_value *const *in, struct qd_value *out,
                                        const char *mark, qd_sum_with_constant *f)
{
    float of[NUMBERS] = {0};
    enum qd_status status;
    if (!qd_evaluate_steps(self, evaluation, node, in, out, mark, of, NUMBERS, &status))
        return status;
    const struct qd_tensor *y = &out[0].want;
    const struct qd_tensor *codes = &in[of[OF_B] != 0 ? B : A]->want;
    const struct qd_tensor *constant = &in[of[OF_B] != 0 ? A : B]->want;
    const struct qd_steps steps = {of[SCALE], of[ZERO]};
    for (int64_t i = 0; i < y->count; i++) {
        float code = qd_code_before(codes, qd_broadcast_element(codes, y, i), steps);
        float c = (float)qd_tensor_value(constant, qd_broadcast_element(constant, y, i));
        qd_set_float(&out[0], i,
                     f(of[SIGN_OF_CODES] * code, of[SIGN_OF_CODES] * steps.zero, steps.scale,
                       of[SIGN_OF_CONSTANT] * c));
    }
    qd_close_value(&out[0]);
    return QD_OK;
}
