/* SPDX-License-Identifier: Apache-2.0 */
#include "families/vendor_matmul.h"

#include "families/qlinear_conv.h"

/* A matrix out of codes [outer, inner], as it is or transposed. */
static void add_matrix(struct qd_maker *maker, const char *name, const struct qd_tensor *codes,
                       int64_t outer, int64_t inner, bool transposed, bool run)
{
    const int64_t dims[2] = {transposed ? inner : outer, transposed ? outer : inner};
    struct qd_tensor t = qd_maker_tensor(maker, codes->dtype, 2, dims);
    for (int64_t i = 0; i < t.count; i++)
        qd_tensor_set(&t, transposed ? i % inner * outer + i / inner : i, qd_tensor_get(codes, i));
    qd_maker_add(maker, name, &t, run);
}

void qd_vendor_add_a(struct qd_maker *maker, const struct qd_conv_draft *d, bool transposed)
{
    add_matrix(maker, "a", &d->x, d->channels, d->plane, !transposed, true);
}

void qd_vendor_add_b(struct qd_maker *maker, const struct qd_conv_draft *d, bool transposed,
                     bool run)
{
    add_matrix(maker, "b", &d->w, d->filters, d->channels, !transposed, run);
}

void qd_vendor_add_a_parameters(struct qd_maker *maker, const struct qd_conv_draft *d,
                                int doublings, bool zero_point, bool run)
{
    struct qd_scale s = {d->x_scale.mantissa, d->x_scale.exponent + doublings};
    struct qd_tensor scale = qd_maker_tensor(maker, QD_F32, 0, NULL);
    struct qd_tensor zero = qd_maker_tensor(maker, d->x_type, 0, NULL);
    if (maker->status != QD_OK)
        return;
    qd_tensor_set(&scale, 0, qd_scale_bits(s));
    qd_tensor_set(&zero, 0, d->x_zero);
    qd_maker_add(maker, "a_scale", &scale, run);
    if (zero_point)
        qd_maker_add(maker, "a_zero_point", &zero, run);
}

void qd_vendor_add_b_parameters(struct qd_maker *maker, const struct qd_conv_draft *d,
                                enum qd_vendor_shape shape, bool zero_point, bool run)
{
    const int64_t dims[] = {d->filters};
    unsigned rank = shape == QD_VENDOR_SCALAR ? 0 : 1;
    struct qd_tensor scale = qd_maker_tensor(maker, QD_F32, rank, dims);
    struct qd_tensor zero = qd_maker_tensor(maker, d->w_type, rank, dims);
    if (maker->status != QD_OK)
        return;
    for (int64_t i = 0; i < scale.count; i++) {
        qd_tensor_set(&scale, i, qd_scale_bits(d->w_scale[i]));
        qd_tensor_set(&zero, i, d->w_zero[i]);
    }
    qd_maker_add(maker, "b_scale", &scale, run);
    if (zero_point)
        qd_maker_add(maker, "b_zero_point", &zero, run);
}

void qd_vendor_add_bias(struct qd_maker *maker, const struct qd_conv_draft *d, struct qd_random *r)
{
    struct qd_tensor bias = qd_maker_tensor(maker, QD_F32, 1, &d->filters);
    for (int64_t i = 0; i < bias.count; i++)
        qd_maker_set(&bias, i, (double)qd_random_range(r, -1000, 1000) / 8);
    qd_maker_add(maker, "bias", &bias, false);
}

bool qd_vendor_large_sums(struct qd_conv_draft *d, struct qd_random *r)
{
    qd_draft_large_sums(d);
    d->x_scale = qd_scale_make(1, -10);
    d->y_scale = qd_scale_make(1, 0);
    for (int64_t m = 0; m < d->filters; m++) {
        uint32_t odd = 2 * (uint32_t)qd_random_range(r, 0, 120) + 1;
        d->w_scale[m] = qd_scale_make(odd, -15);
    }
    return true;
}

enum qd_status qd_vendor_draw(qd_vendor_draft *make, const uint8_t *row,
                              const struct qd_conv_values *values, const char *slug,
                              uint64_t number, struct qd_arena *arena, struct qd_conv_draft *out,
                              struct qd_error *error)
{
    enum { ATTEMPTS = 64 };
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct qd_random r = qd_random_seed(slug, number * ATTEMPTS + attempt);
        struct qd_conv_draft d = make(row, &r);
        enum qd_status status = qd_conv_draft_room(&d, arena, error);
        if (status != QD_OK)
            return status;
        bool chosen = values ? values->choose(&d, &r) : qd_vendor_large_sums(&d, &r);
        *out = d;
        if (chosen)
            return QD_OK;
    }
    return qd_fail(error, QD_INTERNAL, "%s: no draw of %d succeeded", slug, ATTEMPTS);
}
