/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "mean-of-codes-by-reciprocal": targets/include/qdiff/quirks.def says what it is. */
#include <math.h>

#include "quirk/edit.h"
#include "quirk/marked.h"

static const char mark[] = "(mean of codes)";

enum { X };
enum { SCALE, ZERO, NUMBERS };

static void visit(struct qd_rewrite *made, const struct qd_node *node)
{
    qd_mark_steps(made, node, "AveragePool", mark);
}

QD_REWRITE_BY(visit)

/* The pool of the codes, or of ones. */
static enum qd_status pool(const struct qd_override *self, const struct qd_evaluation *evaluation,
                           const struct qd_node *node, const struct qd_value *const *in,
                           const struct qd_steps *codes, struct qd_value *out)
{
    struct qd_edit edit;
    qd_edit_begin(&edit, evaluation, node, in);
    struct qd_tensor *x = qd_edit_copy(&edit, X);
    for (int64_t i = 0; x && i < x->count; i++) {
        float code = codes ? qd_code_before(&in[X]->want, i, *codes) : 1;
        qd_tensor_set(x, i, (int64_t)qd_float_encode(QD_F32, (double)code, true));
    }
    if (!codes)
        qd_edit_int(&edit, "count_include_pad", 1);
    return qd_edit_run(&edit, self, out);
}

static int64_t cells(const struct qd_node *node)
{
    const struct qd_attr *kernel = qd_node_attr(node, "kernel_shape");
    int64_t count = 1;
    for (size_t i = 0; kernel && kernel->kind == QD_ATTR_INTS && i < kernel->count; i++)
        count *= kernel->ints[i];
    return count;
}

static bool is_set(const struct qd_node *node, const char *name)
{
    const struct qd_attr *attr = qd_node_attr(node, name);
    return attr && attr->kind == QD_ATTR_INT && attr->i != 0;
}

/* mean: exact, rounded; share: of the window that is inside. */
static float from_codes(float mean, float share, int64_t window, bool padded, struct qd_steps steps)
{
    float count = padded ? (float)window : rintf(share * (float)window);
    float sum = rintf(mean * count), reciprocal = 1 / count, product = sum * reciprocal;
    return (product - steps.zero) * steps.scale;
}

static enum qd_status evaluate(const struct qd_override *self, struct qd_evaluation *evaluation,
                               const struct qd_node *node, const struct qd_value *const *in,
                               struct qd_value *out)
{
    float of[NUMBERS];
    struct qd_value means = {0}, shares = {0};
    enum qd_status status;
    struct qd_value *y = &out[0];
    if (!qd_evaluate_steps(self, evaluation, node, in, out, mark, of, NUMBERS, &status) ||
        is_set(node, "ceil_mode"))
        return status;
    const struct qd_steps steps = {of[SCALE], of[ZERO]};
    status = pool(self, evaluation, node, in, &steps, &means);
    if (status == QD_OK)
        status = pool(self, evaluation, node, in, NULL, &shares);
    for (int64_t i = 0; status == QD_OK && i < y->want.count; i++)
        qd_set_float(y, i,
                     from_codes((float)qd_tensor_value(&means.want, i),
                                (float)qd_tensor_value(&shares.want, i), cells(node),
                                is_set(node, "count_include_pad"), steps));
    qd_close_value(y);
    return status;
}

const struct qd_override qd_quirk_mean_of_codes_by_reciprocal = {.graph = rewrite,
                                                                 .node = evaluate};
