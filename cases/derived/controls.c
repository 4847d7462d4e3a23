/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that are no numbers to compute with: shapes, axes, indices, bounds. What they hold, by their names. */
#include <string.h>

#include "derived/derived.h"

struct list {
    enum qd_dtype type;
    unsigned rank; /* 0 or 1 */
    int64_t count, at[2 * QD_MAX_RANK];
    bool absent;
};

typedef void list_maker(const struct qd_derived_draft *d, unsigned level, struct list *list);

static const struct qd_derived_shape *first_shape(const struct qd_derived_draft *d)
{
    unsigned i = 0;
    while (i + 1 < d->inputs && qd_op_role(d->outline->op, i) == QD_ROLE_CONTROL)
        i++;
    return &d->shapes[i];
}

static void push(struct list *list, int64_t n)
{
    if (list->count < 2 * QD_MAX_RANK)
        list->at[list->count++] = n;
}

static int control_named(const struct qd_op *op, const char *name)
{
    for (unsigned i = 0; i < op->max_inputs && i < QD_MAX_OPERANDS; i++) {
        size_t length;
        const char *at = qd_op_operand_name(op, i, &length);
        if (length == strlen(name) && strncmp(at, name, length) == 0)
            return (int)i;
    }
    return -1;
}

static bool is(const struct qd_derived_draft *d, const char *op_type)
{
    return strcmp(d->outline->op->name, op_type) == 0;
}

/* "axes": the last, the first, −1, the first and −1; absent. Of Unsqueeze they count in the output. */
static void make_axes(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    int64_t last = (int64_t)d->rank - (is(d, "Unsqueeze") ? 0 : 1);
    list->absent = level == 1;
    if (level != 2)
        push(list, level == 3 ? -1 : level == 4 ? 0 : last);
    if (level == 2 || level == 4)
        push(list, level == 2 ? 0 : -1);
}

unsigned qd_derived_axes(const struct qd_derived_draft *d, int64_t axes[QD_MAX_RANK])
{
    int control = control_named(d->outline->op, "axes");
    struct list list = {0};
    if (control >= 0)
        make_axes(d, qd_derived_level(d, QD_DERIVED_CONTROL, control), &list);
    else
        list.absent = true;
    for (int64_t i = 0; list.absent && i < d->rank; i++)
        push(&list, i);
    unsigned n = 0;
    for (; n < list.count && n < QD_MAX_RANK; n++)
        axes[n] = list.at[n];
    return n;
}

static unsigned axis_count(const struct qd_derived_draft *d)
{
    int64_t axes[QD_MAX_RANK];
    return qd_derived_axes(d, axes);
}

static void make_pads(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    bool far = qd_derived_is_alone(d, "far");
    for (int i = 0, n = 2 * (int)axis_count(d); i < n; i++)
        push(list, far          ? (i + 1 == n ? QD_DERIVED_LONG : 0)
                   : level == 0 ? (i + 1) % 3
                   : level == 1 ? 0
                   : level == 2 ? (i % 2 ? -1 : 1)
                                : 1 + (i == 0 ? 16 : 0));
}

enum { FAR = 17 }; /* what four bits do not hold */

static void make_starts(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    static const int64_t starts[] = {0, 1, -1, -2, INT64_MAX};
    for (unsigned i = 0; i < axis_count(d); i++)
        push(list, qd_derived_is_alone(d, "far") ? FAR : starts[level]);
}

static void make_ends(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    static const int64_t ends[] = {INT64_MAX, -1, INT64_MIN, 1};
    for (unsigned i = 0; i < axis_count(d); i++)
        push(list, ends[level] + (level == 3 ? i : 0)); /* 1, 2, ... */
}

static void make_steps(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    static const int64_t steps[] = {1, 1, 2, -1, -2};
    bool far = qd_derived_is_alone(d, "far");
    list->absent = level == 0 && !far;
    for (unsigned i = 0; i < axis_count(d); i++)
        push(list, far ? FAR : steps[level]);
}

/* Of Reshape, or of Expand. */
static void make_shape(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    const struct qd_derived_shape *x = first_shape(d);
    if (is(d, "Expand")) {
        if (level == 0)
            push(list, 2);
        for (unsigned i = level == 2 ? x->rank : 0; i < x->rank; i++)
            push(list, level == 3 ? 1 : x->dims[i]);
        if (level == 2)
            push(list, 1);
        return;
    }
    if (qd_derived_is_alone(d, "no_elements"))
        level = 2;
    if (level == 1 && x->rank > 0)
        push(list, 0);
    if (level < 2)
        push(list, -1);
    for (unsigned i = 0; level >= 2 && i < x->rank; i++)
        push(list, x->dims[level == 2 ? x->rank - 1 - i : i]);
    if (level == 3)
        push(list, 1);
}

static void make_indices(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    const struct qd_derived_shape *x = first_shape(d);
    int64_t axis = qd_derived_int(d, "axis", 0);
    axis += axis < 0 ? x->rank : 0;
    int64_t size = axis >= 0 && axis < x->rank && x->dims[axis] > 0 ? x->dims[axis] : 1;
    list->rank = level != 1;
    list->type = level == 2 ? QD_S32 : QD_S64;
    push(list, size - 1);
    for (int64_t i = 0; list->rank && i < 4; i++)
        push(list, level == 3 ? -1 - (i * 7) % size : (i * 5) % size);
}

static void make_repeats(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    bool far = qd_derived_is_alone(d, "far");
    for (unsigned i = 0; i < d->rank; i++)
        push(list, far          ? (i + 1 == d->rank ? QD_DERIVED_LONG : 1)
                   : level == 1 ? 1
                   : level == 2 ? 2
                                : 1 + (i + 1) % 2);
}

/* Two parts. */
static void make_split(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    const struct qd_derived_shape *x = first_shape(d);
    int64_t axis = qd_derived_int(d, "axis", 0);
    axis += axis < 0 ? x->rank : 0;
    int64_t size = axis >= 0 && axis < x->rank ? x->dims[axis] : 2;
    list->absent = level == 1;
    push(list, level == 0 ? 1 : size - 1);
    push(list, level == 0 ? size - 1 : 1);
}

static void make_sizes(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    list->absent = level == 0;
    for (unsigned i = 0; i < d->rank; i++)
        push(list, i < 2 ? first_shape(d)->dims[i] : level == 1 ? 7 : 2 * first_shape(d)->dims[i]);
}

/* What is filled. */
static void make_filled(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    for (unsigned i = 0; i < d->rank && level != 1; i++)
        push(list, i == 0             ? qd_derived_extent(d, 0)
                   : i + 1 == d->rank ? qd_derived_extent(d, 1)
                   : level == 2       ? 1
                                      : 2);
}

static void make_nothing(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    (void)d, (void)level;
    list->absent = true;
}

static void make_exponent(const struct qd_derived_draft *d, unsigned level, struct list *list)
{
    (void)d;
    list->rank = 0;
    list->type = level == 1 ? QD_S64 : QD_F32;
    push(list, 2);
}

static const struct control {
    const char *name;
    list_maker *make; /* NULL: special */
    const char *words[8];
} controls[] = {
    {"axes", make_axes, {"", "no_axes", "axes_0", "axes_-1", "axes_0_-1"}},
    {"pads", make_pads, {"", "pads_0", "pads_crop", "pads_many"}},
    {"starts", make_starts, {"", "from_1", "from_-1", "from_-2", "from_end"}},
    {"ends", make_ends, {"", "to_-1", "to_least", "to_1"}},
    {"steps", make_steps, {"", "step_1", "step_2", "step_-1", "step_-2"}},
    {"shape", make_shape, {"", "shape_0_-1", "shape_reversed", "shape_longer"}},
    {"indices", make_indices, {"", "indices_0d", "indices_s32", "indices_negative"}},
    {"repeats", make_repeats, {"", "repeats_1", "repeats_2"}},
    {"split", make_split, {"", "no_split", "split_late"}},
    {"sizes", make_sizes, {"", "sizes_7", "sizes_double"}},
    {"roi", make_nothing, {""}},
    {"g_idx", make_nothing, {""}},
    {"input", make_filled, {"", "shape_none", "shape_of_ones"}},
    {"Y", make_exponent, {"", "exponent_s64"}},
    {"scales", NULL, {"", "scales_half", "scales_absent", "scales_mixed"}},
    {"min", NULL, {"", "no_min"}},
    {"max", NULL, {"", "no_max"}},
    {"condition", NULL, {"", "condition_0d", "condition_last"}},
};

static const struct control *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (strlen(controls[i].name) == length && strncmp(controls[i].name, name, length) == 0)
            return &controls[i];
    return NULL;
}

unsigned qd_derived_control_levels(const char *name, size_t length, const char **words)
{
    const struct control *control = find(name, length);
    unsigned n = 0;
    for (; control && control->words[n]; n++)
        words[n] = control->words[n];
    return n;
}

/* Its name, or that of what it shares. */
static const char *add_tensor(struct qd_derived_draft *d, const char *name,
                              const struct qd_tensor *tensor)
{
    return qd_derived_add_once(d, name, tensor,
                               qd_derived_level(d, QD_DERIVED_BINDING, QD_DERIVED_CONTROLS) > 0);
}

static const char *add_condition(struct qd_derived_draft *d, unsigned level, const char *name)
{
    const struct qd_derived_shape *x = first_shape(d);
    unsigned rank = level == 1 ? 0 : level == 2 && x->rank > 0 ? 1 : x->rank;
    struct qd_tensor t = qd_maker_tensor(&d->maker, QD_BOOL, rank, x->dims + (x->rank - rank));
    for (int64_t i = 0; i < t.count; i++)
        qd_maker_set(&t, i, (double)(qd_random_next(&d->random) & 1));
    return add_tensor(d, name, &t);
}

static const char *add_bound(struct qd_derived_draft *d, unsigned level, const char *name)
{
    if (level == 1)
        return "";
    enum qd_dtype type = d->coded ? QD_F32 : d->x;
    bool upper = strstr(name, "max") != NULL;
    struct qd_tensor t = qd_maker_tensor(&d->maker, type, 0, NULL);
    bool fine = qd_derived_is_alone(d, "fine"), far = qd_derived_is_alone(d, "far");
    if (qd_derived_is_alone(d, "crossed")) {
        qd_maker_set(&t, 0, upper ? 1 : 2);
        return add_tensor(d, name, &t);
    }
    double low = qd_dtype_info(type)->kind == QD_CLASS_UINT ? 3
                 : far                                      ? -70001
                 : fine                                     ? -0.0401
                                                            : -1.25;
    qd_maker_set(&t, 0, upper ? (far ? 30000 : fine ? 0.08 : 2.5) + low : low);
    return add_tensor(d, name, &t);
}

static const char *add_scales(struct qd_derived_draft *d, unsigned level, const char *name)
{
    int64_t rank = d->rank;
    if (level == 2)
        return "";
    struct qd_tensor t = qd_maker_tensor(&d->maker, QD_F32, 1, &rank);
    for (int64_t i = 0; i < t.count; i++)
        qd_maker_set(&t, i, i < 2 ? 1 : level == 0 ? 2 : level == 1 || i % 2 ? 0.5 : 3);
    return add_tensor(d, name, &t);
}

/* Its operand is an attribute in the draft's opset. */
static bool is_attribute(const struct qd_derived_draft *d, const struct control *control)
{
    return qd_derived_is_early(d) && qd_derived_has_attribute(d->outline->op, control->name);
}

const char *qd_derived_add_control(struct qd_derived_draft *d, unsigned input, const char *name)
{
    size_t length;
    const char *word = qd_op_operand_name(d->outline->op, input, &length);
    const struct control *control = find(word, length);
    unsigned level = qd_derived_level(d, QD_DERIVED_CONTROL, (int)input);
    if (!control || is_attribute(d, control))
        return "";
    if (!control->make)
        return *control->name == 'c'   ? add_condition(d, level, name)
               : *control->name == 's' ? add_scales(d, level, name)
                                       : add_bound(d, level, name);
    struct list list = {.type = QD_S64, .rank = 1};
    control->make(d, level, &list);
    if (list.absent)
        return "";
    struct qd_tensor t = qd_maker_tensor(&d->maker, list.type, list.rank, &list.count);
    for (int64_t i = 0; i < t.count; i++)
        if (list.type == QD_F32)
            qd_maker_set(&t, i, (double)list.at[i]);
        else
            qd_tensor_set(&t, i, list.at[i]);
    return add_tensor(d, name, &t);
}
