/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that move: where each comes from is asked of the operator itself, by giving it numbered elements. */
#include <inttypes.h>
#include <string.h>

#include "explain/explain.h"
#include "text/describe.h"

/* The number of the first element: none that an operator might fill with. */
#define FIRST ((int64_t)1 << 40)

/* The step with its data numbered through, over all operands. */
struct numbered {
    struct qd_node node;
    const struct qd_value *in[QD_MAX_OPERANDS];
    int operands[QD_MAX_OPERANDS]; /* of the step, by input */
    int64_t firsts[QD_MAX_OPERANDS];
    size_t count;
};

/* An operator on codes moves as the one without "QLinear" does. */
static bool read_node(const struct qd_step *step, struct numbered *n)
{
    const char prefix[] = "QLinear";
    size_t length = sizeof prefix - 1;
    n->node = *step->node;
    if (qd_op_operand(step->node->op, QD_ROLE_SCALE) < 0)
        return true;
    if (strncmp(step->node->op_type, prefix, length) != 0)
        return false;
    n->node.domain = "";
    n->node.op_type += length;
    n->node.opset = 13;
    n->node.op = qd_op_find("", n->node.op_type);
    return n->node.op != NULL;
}

static const struct qd_value *number(const struct qd_explanation *explanation,
                                     const struct qd_tensor *like, int64_t first)
{
    struct qd_error ignored;
    struct qd_value *made = qd_arena_alloc(explanation->arena, sizeof *made);
    if (!made ||
        qd_value_init(made, explanation->arena, QD_F64, like->rank, like->dims, &ignored) != QD_OK)
        return NULL;
    for (int64_t i = 0; i < like->count; i++)
        qd_tensor_set(&made->want, i, (int64_t)qd_float_encode(QD_F64, (double)(first + i), true));
    return made;
}

static bool number_inputs(const struct qd_explanation *explanation, const struct qd_step *step,
                          struct numbered *n)
{
    int64_t next = FIRST;
    for (size_t j = 0; j < step->node->input_count && j < QD_MAX_OPERANDS; j++) {
        const struct qd_value *in = step->in[j];
        if (qd_op_is_parameter(step->node->op, j))
            continue;
        size_t at = n->count++;
        n->in[at] = in;
        n->operands[at] = QD_NO_OPERAND;
        if (!in || qd_op_role(step->node->op, j) != QD_ROLE_DATA)
            continue;
        n->operands[at] = (int)j;
        n->firsts[at] = next;
        n->in[at] = number(explanation, &in->want, next);
        next += in->want.count;
        if (!n->in[at])
            return false;
    }
    n->node.input_count = n->count;
    return true;
}

/* The operand and the element that element i of the output is; operand
 * QD_NO_OPERAND: none is. False if that cannot be found out. */
static bool find_source(const struct qd_explanation *explanation, const struct qd_step *step,
                        size_t output, int64_t i, int *operand, int64_t *element)
{
    static const struct qd_semantics defaults;
    struct qd_evaluation evaluation = {.semantics = &defaults, .arena = explanation->arena};
    struct numbered n = {.count = 0};
    struct qd_value out[QD_MAX_OPERANDS] = {{.lo = NULL}};
    if (!read_node(step, &n) || !number_inputs(explanation, step, &n) ||
        qd_override_node(&evaluation, NULL, &n.node, n.in, out) != QD_OK ||
        i >= out[output].want.count)
        return false;
    int64_t found = (int64_t)qd_tensor_value(&out[output].want, i);
    *operand = QD_NO_OPERAND;
    for (size_t j = 0; j < n.count; j++)
        if (n.operands[j] >= 0 && found >= n.firsts[j] &&
            found < n.firsts[j] + step->in[n.operands[j]]->want.count) {
            *operand = n.operands[j];
            *element = found - n.firsts[j];
        }
    return true;
}

static void tell_rescaled(const struct qd_explanation *explanation, const struct qd_step *step,
                          int operand, const struct qd_explain_code *c,
                          const struct qd_explain_coder *coder)
{
    int scale = qd_step_parameter_number(step, operand, QD_ROLE_SCALE);
    fprintf(explanation->out, "  real = (code - %.9g) * %s / %s = %.9g * %.9g / %.9g\n",
            c->zero_point, qd_step_name(explanation, step, scale), coder->scale_name, c->code,
            c->scale, coder->scale);
    if (!qd_explain_is_scale(c->scale) || !qd_explain_is_scale(coder->scale))
        return;
    struct qd_ratio real =
        qd_ratio_multiply(qd_ratio_of_integer((int64_t)c->code), qd_ratio_of_double(c->scale));
    qd_explain_code(explanation, coder, qd_ratio_divide(real, qd_ratio_of_double(coder->scale)));
}

bool qd_explain_move(const struct qd_explanation *explanation, const struct qd_step *step,
                     size_t output, int64_t i)
{
    int operand;
    int64_t element;
    if (!find_source(explanation, step, output, i, &operand, &element))
        return false;
    if (operand < 0) {
        fputs("  no element of an operand comes here: it is filled\n", explanation->out);
        return true;
    }
    struct qd_explain_code c = qd_explain_code_of(step, operand, element);
    const struct qd_tensor *from = &step->in[operand]->want;
    fprintf(explanation->out, "  comes from %s%s = %s\n",
            explanation->kase->graph->values[step->node->inputs[operand]].name,
            qd_describe_place(from, element, explanation->arena),
            qd_explain_text(explanation, from, element));
    struct qd_explain_coder coder;
    if (qd_explain_coder_of(explanation, step, output, &coder))
        tell_rescaled(explanation, step, operand, &c, &coder);
    return true;
}
