/* SPDX-License-Identifier: Apache-2.0 */
#include "families/qlinear_draft.h"

#include <stdio.h>

const char *qd_qlinear_values_word(size_t values)
{
    static const char *const words[] = {"random",   "tie",        "tie-rough",
                                        "near-tie", "saturation", "extreme-scale"};
    return words[values];
}

struct qd_qlinear_draft qd_qlinear_begin(const struct qd_factor_table *table, const char *op,
                                         const uint8_t *row, size_t values, uint64_t draw,
                                         struct qd_arena *arena, struct qd_error *error,
                                         char slug[256])
{
    char features[160];
    qd_covering_describe(table, row, features, sizeof features);
    snprintf(slug, 256, "%s/%s-%s", op, qd_qlinear_values_word(values), features);
    struct qd_qlinear_draft d = {.row = row,
                                 .values = (enum qd_qlinear_values)values,
                                 .type = row[QD_QLINEAR_TYPE] ? QD_S8 : QD_U8,
                                 .random = qd_random_seed(slug, draw),
                                 .arena = arena,
                                 .builder = qd_build_begin(arena, 13),
                                 .error = error,
                                 .status = QD_OK};
    if (!d.builder)
        d.status = qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    return d;
}

int64_t qd_qlinear_zero(struct qd_qlinear_draft *d, enum qd_qlinear_zero level)
{
    const struct qd_dtype_info *info = qd_dtype_info(d->type);
    int64_t even = info->min + 2 * qd_random_range(&d->random, 30, 97);
    switch (level) {
    case QD_ZERO_MIN: return info->min;
    case QD_ZERO_MAX: return info->max;
    case QD_ZERO_ODD: return even + 1;
    case QD_ZERO_EVEN: return even;
    case QD_ZERO_CODE_0:
    case QD_ZERO_ABSENT: break;
    }
    return 0;
}

static struct qd_scale random_scale(struct qd_random *r, int exponent)
{
    return qd_scale_make((uint32_t)qd_random_range(r, 1 << 23, (1 << 24) - 1), exponent - 23);
}

struct qd_qlinear_scales qd_qlinear_draw_scales(struct qd_qlinear_draft *d, int log)
{
    static const int extreme[] = {-146, -135, -126, -120, 90, 110};
    struct qd_random *r = &d->random;
    int exponent = (int)qd_random_range(r, -7, 3);
    uint32_t odd = 2 * (uint32_t)qd_random_range(r, 1, (1 << 22) - 1) + 1;
    struct qd_qlinear_scales s = {qd_scale_make(1, exponent), qd_scale_make(1, exponent + 1 - log)};
    switch (d->values) {
    case QD_QLINEAR_TIE: break;
    case QD_QLINEAR_TIE_ROUGH:
        s.x = qd_scale_make(odd, exponent);
        s.y = qd_scale_make(odd, exponent + 1 - log);
        break;
    case QD_QLINEAR_NEAR_TIE: {
        static const int steps[] = {-2, -1, 1, 2};
        s.y = qd_scale_step(s.y, QD_RANDOM_PICK(r, steps));
        break;
    }
    case QD_QLINEAR_SATURATION: s.y = qd_scale_make(1, exponent - 1); break;
    case QD_QLINEAR_EXTREME:
        exponent = QD_RANDOM_PICK(r, extreme);
        s.x = qd_scale_make(1 + 2 * (uint32_t)qd_random_range(r, 0, 3), exponent);
        s.y = qd_scale_make(1, exponent + 2);
        break;
    case QD_QLINEAR_RANDOM:
    case QD_QLINEAR_VALUES:
        s.x = random_scale(r, exponent);
        s.y = random_scale(r, exponent + (int)qd_random_range(r, -1, 1));
        break;
    }
    return s;
}

int64_t qd_qlinear_reach(const struct qd_qlinear_draft *d, int64_t terms)
{
    bool tie = d->values == QD_QLINEAR_TIE || d->values == QD_QLINEAR_TIE_ROUGH ||
               d->values == QD_QLINEAR_NEAR_TIE;
    int64_t reach = 240 / terms;
    return !tie || terms == 1 ? 255 : reach > 1 ? reach : 1;
}

static int64_t draw_code(struct qd_qlinear_draft *d, int64_t i, int64_t zero, int64_t reach)
{
    const struct qd_dtype_info *info = qd_dtype_info(d->type);
    if (reach >= 255)
        return info->min + (i * 37 & 255); /* 37 is odd: every code once in 256 */
    int64_t code = zero + qd_random_range(&d->random, -reach, reach);
    return code < info->min ? 2 * info->min - code : code > info->max ? 2 * info->max - code : code;
}

void qd_qlinear_codes(struct qd_qlinear_draft *d, const char *name, unsigned rank,
                      const int64_t *dims, int64_t zero, int64_t reach, bool run)
{
    struct qd_tensor t;
    if (d->status == QD_OK)
        d->status = qd_tensor_init(&t, d->arena, d->type, rank, dims, d->error);
    if (d->status != QD_OK)
        return;
    int64_t first = qd_random_range(&d->random, 0, 255);
    for (int64_t i = 0; i < t.count; i++)
        qd_tensor_set(&t, i, draw_code(d, first + i, zero, reach));
    qd_build_tensor(d->builder, name, &t, run);
}

static void add_parameter(struct qd_qlinear_draft *d, const char *name, const char *suffix,
                          enum qd_dtype type, int64_t code)
{
    struct qd_tensor t;
    const char *full = qd_arena_printf(d->arena, "%s_%s", name, suffix);
    if (!full)
        d->status = qd_fail(d->error, QD_NO_MEMORY, "no room for a name");
    if (d->status == QD_OK)
        d->status = qd_tensor_init(&t, d->arena, type, 0, NULL, d->error);
    if (d->status != QD_OK)
        return;
    qd_tensor_set(&t, 0, code);
    qd_build_tensor(d->builder, full, &t, d->row[QD_QLINEAR_BINDING] & 1);
}

void qd_qlinear_parameters(struct qd_qlinear_draft *d, const char *name, struct qd_scale scale,
                           int64_t zero, bool absent)
{
    if (d->status == QD_OK)
        add_parameter(d, name, "scale", QD_F32, (int64_t)qd_scale_bits(scale));
    if (d->status == QD_OK && !absent)
        add_parameter(d, name, "zero_point", d->type, zero);
}

const char *qd_qlinear_inputs(bool x_absent, bool y_absent)
{
    if (x_absent)
        return y_absent ? "x,x_scale,,y_scale" : "x,x_scale,,y_scale,y_zero_point";
    return y_absent ? "x,x_scale,x_zero_point,y_scale"
                    : "x,x_scale,x_zero_point,y_scale,y_zero_point";
}

enum qd_status qd_qlinear_finish(struct qd_qlinear_draft *d, const char *op, const char *slug,
                                 struct qd_case *kase)
{
    const char *spec = qd_arena_printf(d->arena, "com.microsoft.%s-1", op);
    if (d->status != QD_OK)
        return d->status;
    qd_build_output_inferred(d->builder, "y", d->type);
    qd_build_tag(d->builder, qd_qlinear_values_word(d->values));
    qd_build_origin(d->builder, spec ? spec : op, "", "");
    return qd_build_finish(d->builder, slug, true, kase, d->error);
}

bool qd_qlinear_rotates(const struct qd_factor_table *table, const uint8_t *row, size_t values)
{
    size_t sum = values;
    for (unsigned f = 0; f < table->factor_count; f++)
        sum += row[f] * (2 * (size_t)f + 1);
    return sum % 3 == 0;
}
