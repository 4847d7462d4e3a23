/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors, attributes and numbers as text for people. */
#include "text/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4096, LONGEST_LIST = 64 };

/* Text under construction; what does not fit is left out. */
struct text {
    char bytes[LONGEST];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int written;
    written =
        vsnprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, arguments);
    va_end(arguments);
    if (written > 0) {
        size_t room = sizeof text->bytes - 1 - text->length;

        text->length += (size_t)written < room ? (size_t)written : room;
    }
}

const char *qd_describe_number(enum qd_dtype dtype, double value, char *text, size_t size)
{
    if (isnan(value))
        snprintf(text, size, "nan");
    else if (isinf(value))
        snprintf(text, size, value > 0 ? "inf" : "-inf");
    else if (qd_dtype_is_integer(dtype))
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, dtype == QD_F64 ? "%.17g" : "%.9g", value);
    return text;
}

static void add_element(struct text *text, const struct qd_tensor *tensor, int64_t i)
{
    char number[40];

    if (qd_dtype_is_integer(tensor->dtype)) {
        add(text, "%" PRId64, qd_tensor_get(tensor, i));
    } else {
        add(text, "%s",
            qd_describe_number(tensor->dtype, qd_tensor_value(tensor, i), number, sizeof number));
    }
}

const char *qd_describe_tensor(const struct qd_tensor *tensor, int64_t most, struct qd_arena *arena)
{
    struct text text = {.length = 0};
    char shape[160];
    int64_t shown = tensor->count < most ? tensor->count : most;

    add(&text, "%s", qd_tensor_describe(tensor, shape, sizeof shape));
    if (shown > 0) {
        add(&text, " {");
        for (int64_t i = 0; i < shown; i++) {
            add(&text, i == 0 ? "" : ", ");
            add_element(&text, tensor, i);
        }
        add(&text, shown < tensor->count ? ", ...}" : "}");
    }
    return qd_arena_string(arena, text.bytes);
}

static void add_list(struct text *text, const struct qd_attr *attr)
{
    size_t shown = attr->count < LONGEST_LIST ? attr->count : LONGEST_LIST;

    add(text, "[");
    for (size_t i = 0; i < shown; i++) {
        add(text, i == 0 ? "" : ", ");
        if (attr->kind == QD_ATTR_INTS)
            add(text, "%" PRId64, attr->ints[i]);
        else
            add(text, "%.9g", (double)attr->floats[i]);
    }
    add(text, shown < attr->count ? ", ...]" : "]");
}

const char *qd_describe_attr(const struct qd_attr *attr, struct qd_arena *arena)
{
    struct text text = {.length = 0};

    switch (attr->kind) {
    case QD_ATTR_INT: add(&text, "%" PRId64, attr->i); break;
    case QD_ATTR_FLOAT: add(&text, "%.9g", (double)attr->f); break;
    case QD_ATTR_STRING: add(&text, "%.200s", attr->s); break;
    case QD_ATTR_INTS:
    case QD_ATTR_FLOATS: add_list(&text, attr); break;
    case QD_ATTR_TENSOR: return qd_describe_tensor(attr->tensor, 8, arena);
    case QD_ATTR_OTHER: add(&text, "(an attribute of another kind)"); break;
    }
    return qd_arena_string(arena, text.bytes);
}

const char *qd_describe_place(const struct qd_tensor *tensor, int64_t i, struct qd_arena *arena)
{
    struct text text = {.length = 0};
    int64_t coordinates[QD_MAX_RANK];

    qd_tensor_coordinates(tensor, i, coordinates);
    add(&text, "[");
    for (unsigned axis = 0; axis < tensor->rank; axis++)
        add(&text, axis == 0 ? "%" PRId64 : ", %" PRId64, coordinates[axis]);
    add(&text, "]");
    return qd_arena_string(arena, text.bytes);
}

/* What is no name, but nearly. */
static const char *describe_near(const struct qd_near_miss *near, struct qd_arena *arena)
{
    if (!near->quirk)
        return "";
    if (near->neighbour == 0)
        return qd_arena_printf(arena, "; %s explains all %lld elements of this case, as others may",
                               near->quirk->name, (long long)near->elements);
    return qd_arena_printf(
        arena,
        "; %s explains all %lld elements of this case and %zu wrong neighbours, but not neighbour "
        "%zu: perhaps another fault",
        near->quirk->name, (long long)near->elements, near->divergent, near->neighbour);
}

/* Which other faults the wrong neighbours may have: any one of those named. */
static const char *describe_others(const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    const size_t count = diagnosis->other_count, most = QD_DIAGNOSIS_MAX_QUIRKS;
    const char *text = "";
    for (size_t i = 0; text && i < count && i < most; i++)
        text = qd_arena_printf(arena, "%s%s%s", text, i > 0 ? "|" : "", diagnosis->others[i]->name);
    if (!text || count <= most)
        return text;
    return qd_arena_printf(arena, "%s or one of %zu more", text, count - most);
}

const char *qd_describe_evidence(const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    const char *near = describe_near(&diagnosis->near, arena);
    const char *others = describe_others(diagnosis, arena);
    const char *excused = diagnosis->excused == 0 || !others
                              ? others
                              : qd_arena_printf(arena, ", on %zu of them together with %s",
                                                diagnosis->excused, others);
    const char *unlike =
        diagnosis->unlike == 0
            ? ""
            : qd_arena_printf(arena, "; other cases that fit no name: %zu", diagnosis->unlike);
    if (!near || !excused || !unlike)
        return NULL;
    return qd_arena_printf(
        arena, "%zu neighbours run; the target is wrong on %zu of them%s%s%s%s%s%s%s",
        diagnosis->neighbours, diagnosis->divergent,
        diagnosis->quirk_count > 0 && diagnosis->divergent > 0 ? ", as the quirk says" : "",
        excused, unlike,
        diagnosis->only ? "; of the operators that it is about only this one has it: " : "",
        diagnosis->only ? diagnosis->only : "", diagnosis->out_of_time ? "; out of time" : "",
        near);
}
