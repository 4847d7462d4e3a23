/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/row_testlib.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"

#define MAX_VALUES 40
#define MAX_ATTRS 10
#define MAX_INTS 10

struct row {
    struct qd_arena arena;
    struct qd_value in[MAX_VALUES], have[MAX_VALUES], want[MAX_VALUES];
    bool absent[MAX_VALUES];
    size_t in_count, want_count;
    struct qd_attr attrs[MAX_ATTRS];
    int64_t ints[MAX_ATTRS][MAX_INTS];
    struct qd_node node;
    const char *where;
};

static void broken(const struct row *row, const char *what, const char *text)
{
    fail_msg("%s: %s at '%s'", row->where, what, text);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* The bits of a number in a type, which has to represent it; a long double holds every s64. */
static int64_t bits_of(enum qd_dtype dtype, long double number)
{
    return qd_dtype_is_float(dtype) ? (int64_t)qd_float_encode(dtype, (double)number, false)
                                    : (int64_t)number;
}

/* "3|5|7": the first is the canonical value. */
static const char *read_points(struct row *row, struct qd_value *value, int64_t i, const char *text)
{
    double points[QD_MAX_POINTS];
    size_t count = 0;
    struct qd_error error;
    assert_int_equal(qd_value_need_hull(value, &row->arena, &error), QD_OK);
    for (bool more = true; more; text += more) {
        char *end;
        if (count == QD_MAX_POINTS)
            broken(row, "too many points", text);
        points[count++] = strtod(text, &end);
        if (end == text)
            broken(row, "no number", text);
        text = end;
        more = *text == '|';
        value->lo[i] = count == 1 ? points[0] : fmin(value->lo[i], points[count - 1]);
        value->hi[i] = count == 1 ? points[0] : fmax(value->hi[i], points[count - 1]);
    }
    qd_tensor_set(&value->want, i, bits_of(value->want.dtype, (long double)points[0]));
    assert_int_equal(qd_value_limit(value, i, points, count, &row->arena, &error), QD_OK);
    return skip_space(text);
}

/* "^5^7" */
static const char *read_dropped(struct row *row, struct qd_value *value, int64_t i,
                                const char *text)
{
    double points[QD_MAX_POINTS];
    size_t count = 0;
    struct qd_error error;
    while (*text == '^' && count < QD_MAX_POINTS) {
        char *end;
        points[count++] = strtod(text + 1, &end);
        if (end == text + 1)
            broken(row, "no number", text);
        text = end;
    }
    assert_int_equal(qd_value_admit(value, i, points, count, &row->arena, &error), QD_OK);
    return skip_space(text);
}

/* A hull without a canonical value. */
static const char *read_open(struct row *row, struct qd_value *value, int64_t i, const char *text)
{
    struct qd_error error;
    char *end;
    double lo = strtod(text, &end), hi = strtod(end + 1, &end);
    qd_tensor_set(&value->want, i, bits_of(value->want.dtype, (long double)lo));
    assert_int_equal(qd_value_need_hull(value, &row->arena, &error), QD_OK);
    assert_int_equal(qd_value_need_flags(value, &row->arena, &error), QD_OK);
    value->lo[i] = lo;
    value->hi[i] = hi;
    value->flags[i] |= QD_NO_CANONICAL;
    return skip_space(end);
}

static const char *read_element(struct row *row, struct qd_value *value, int64_t i,
                                const char *text)
{
    long double parts[3];
    size_t count = 0;
    struct qd_error error;
    if (*text == '*') {
        assert_int_equal(qd_value_need_flags(value, &row->arena, &error), QD_OK);
        value->flags[i] = QD_UNSPECIFIED;
        return skip_space(text + 1);
    }
    if (text[strcspn(text, " ;|")] == '|')
        return read_points(row, value, i, text);
    if (text[strcspn(text, " ;~")] == '~')
        return read_open(row, value, i, text);
    for (; count < 3; text += 2) {
        char number[40], *end;
        snprintf(number, sizeof number, "%.39s", text); /* not all that is left */
        if (strstr(number, ".."))
            *strstr(number, "..") = 0;
        parts[count++] = strtold(number, &end);
        if (end == number)
            broken(row, "no number", text);
        text += end - number;
        if (strncmp(text, "..", 2) != 0)
            break;
    }
    qd_tensor_set(&value->want, i, bits_of(value->want.dtype, parts[count == 3]));
    if (count > 1 || value->lo) {
        assert_int_equal(qd_value_need_hull(value, &row->arena, &error), QD_OK);
        value->lo[i] = (double)parts[0];
        value->hi[i] = (double)parts[count - 1];
    }
    return *text == '^' ? read_dropped(row, value, i, text) : skip_space(text);
}

static const char *read_shape(struct row *row, const char *text, unsigned *rank, int64_t *dims)
{
    if (*text != '[')
        broken(row, "no shape", text);
    for (*rank = 0, text++; *text != ']'; text += *text == ',') {
        char *end;
        dims[(*rank)++] = strtoll(text, &end, 10);
        if (end == text || *rank > QD_MAX_RANK)
            broken(row, "not a shape", text);
        text = end;
    }
    return skip_space(text + 1);
}

static const char *read_value(struct row *row, const char *text, struct qd_value *value)
{
    char word[16] = "";
    int64_t dims[QD_MAX_RANK + 1];
    unsigned rank;
    struct qd_error error;
    size_t length = strcspn(text, "[");
    if (length < sizeof word)
        memcpy(word, text, length);
    enum qd_dtype dtype = qd_dtype_of_word(word);
    if (dtype == QD_DTYPE_NONE)
        broken(row, "no type", text);
    text = read_shape(row, text + length, &rank, dims);
    assert_int_equal(qd_value_init(value, &row->arena, dtype, rank, dims, &error), QD_OK);
    /* The hull is made at the first "..": elements before it are points by then. */
    for (int64_t i = 0; i < value->want.count; i++)
        text = read_element(row, value, i, text);
    return text;
}

static size_t read_values(struct row *row, const char *text, struct qd_value *values, bool *absent)
{
    size_t count = 0;
    for (text = skip_space(text); *text; count++) {
        if (count == MAX_VALUES)
            broken(row, "too many values", text);
        if (*text == '-' && absent) {
            absent[count] = true;
            text = skip_space(text + 1);
        } else {
            text = read_value(row, text, &values[count]);
        }
        if (*text == ';')
            text = skip_space(text + 1);
        else if (*text)
            broken(row, "more elements than the shape has", text);
    }
    return count;
}

static void read_list(struct row *row, struct qd_attr *attr, int64_t *ints, const char *text)
{
    attr->kind = QD_ATTR_INTS;
    attr->ints = ints;
    while (*text && *text != ']') {
        char *end;
        if (attr->count == MAX_INTS)
            broken(row, "too many numbers", text);
        ints[attr->count++] = strtoll(text, &end, 10);
        if (end == text)
            broken(row, "no number", text);
        text = *end == ',' ? end + 1 : end;
    }
}

static void read_attribute(struct row *row, char *text)
{
    struct qd_attr *attr = &row->attrs[row->node.attr_count];
    char *value = strchr(text, '='), *end;
    if (!value || row->node.attr_count == MAX_ATTRS)
        broken(row, "no attribute", text);
    *value++ = 0;
    attr->name = text;
    if (*value == '[' || strchr(value, ',')) {
        read_list(row, attr, row->ints[row->node.attr_count], value + (*value == '['));
    } else if (isalpha((unsigned char)*value)) {
        attr->kind = QD_ATTR_STRING;
        attr->s = value;
    } else if (value[strlen(value) - 1] == 'f') {
        attr->kind = QD_ATTR_FLOAT;
        attr->f = strtof(value, NULL);
    } else {
        attr->kind = QD_ATTR_INT;
        attr->i = strtoll(value, &end, 10);
    }
    row->node.attr_count++;
}

static void read_attributes(struct row *row, const char *text)
{
    char *copy = qd_arena_string(&row->arena, text), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        read_attribute(row, word);
    row->node.attrs = row->attrs;
}

/* --- Running ---------------------------------------------------------------------------------- */

static bool has_hulls(const struct row *row)
{
    for (size_t i = 0; i < row->in_count; i++)
        if (row->in[i].lo || row->in[i].flags)
            return true;
    return false;
}

static enum qd_status run_operator(struct row *row, const struct qd_semantics *semantics,
                                   struct qd_error *error)
{
    double work = QD_MAX_WORK;
    struct qd_evaluation evaluation = {
        .semantics = semantics, .arena = &row->arena, .error = error, .work = &work};
    const struct qd_value *in[MAX_VALUES] = {NULL};
    for (size_t i = 0; i < row->in_count; i++)
        in[i] = row->absent[i] ? NULL : &row->in[i];
    return row->node.op->evaluate(&evaluation, &row->node, in, row->have);
}

static enum qd_status run_graph(struct row *row, const struct qd_semantics *semantics,
                                struct qd_error *error)
{
    struct qd_graph_value values[2 * MAX_VALUES] = {{0}};
    struct qd_tensor fed[MAX_VALUES];
    int inputs[MAX_VALUES], operands[MAX_VALUES], outputs[MAX_VALUES];
    struct qd_graph graph = {.values = values, .nodes = &row->node, .node_count = 1};
    for (size_t i = 0; i < row->in_count; i++) {
        operands[i] = row->absent[i] ? QD_NO_VALUE : (int)graph.value_count++;
        if (row->absent[i])
            continue;
        fed[graph.input_count] = row->in[i].want;
        inputs[graph.input_count++] = operands[i];
    }
    for (size_t i = 0; i < row->node.output_count; i++)
        outputs[i] = (int)graph.value_count++;
    for (size_t i = 0; i < graph.value_count; i++) {
        values[i].name = "value";
        values[i].declared_rank = -1;
    }
    row->node.inputs = operands;
    row->node.outputs = outputs;
    graph.inputs = inputs;
    graph.outputs = outputs;
    graph.output_count = row->node.output_count;
    enum qd_status status = qd_graph_check(&graph, error);
    if (status == QD_OK)
        status = qd_graph_evaluate(&graph, fed, semantics, &row->arena, row->have, error);
    row->node.inputs = row->node.outputs = NULL;
    return status;
}

/* --- Comparing -------------------------------------------------------------------------------- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void compare_element(const struct row *row, size_t output, int64_t i)
{
    const struct qd_value *want = &row->want[output], *have = &row->have[output];
    bool unspecified = (qd_value_flags(want, i) & QD_UNSPECIFIED) != 0;
    uint8_t flags = qd_value_flags(have, i);
    if (unspecified != ((flags & QD_UNSPECIFIED) != 0))
        fail_msg("%s: output %zu element %lld is %sunspecified", row->where, output, (long long)i,
                 unspecified ? "not " : "");
    if (unspecified)
        return;
    double w = qd_tensor_value(&want->want, i), h = qd_tensor_value(&have->want, i);
    if (!same_number(w, h) && !(flags & QD_NO_CANONICAL))
        fail_msg("%s: output %zu element %lld: want %.17g, have %.17g", row->where, output,
                 (long long)i, w, h);
    if (!isnan(w) && (qd_value_lo(want, i) != qd_value_lo(have, i) ||
                      qd_value_hi(want, i) != qd_value_hi(have, i)))
        fail_msg("%s: output %zu element %lld: want %.17g to %.17g, have %.17g to %.17g",
                 row->where, output, (long long)i, qd_value_lo(want, i), qd_value_hi(want, i),
                 qd_value_lo(have, i), qd_value_hi(have, i));
}

/* Each of the points is admissible to both, and no number between two codes. */
static void compare_points(const struct row *row, size_t output, int64_t i)
{
    struct qd_observation want = qd_value_observe(&row->want[output], i),
                          have = qd_value_observe(&row->have[output], i);
    if ((want.points != NULL) != (have.points != NULL) ||
        (want.points && want.points->besides != have.points->besides))
        fail_msg("%s: output %zu element %lld is%s a set of points", row->where, output,
                 (long long)i, have.points ? "" : " not");
    for (unsigned k = 0; want.points && k < want.points->count; k++)
        if (!qd_observation_admits(&have, want.points->at[k]) ||
            have.points->count != want.points->count)
            fail_msg("%s: output %zu element %lld: %.17g, one of %u points, is not one of %u",
                     row->where, output, (long long)i, want.points->at[k], want.points->count,
                     have.points->count);
}

static void compare(const struct row *row)
{
    for (size_t output = 0; output < row->want_count; output++) {
        const struct qd_tensor *want = &row->want[output].want, *have = &row->have[output].want;
        char want_text[96], have_text[96];
        qd_tensor_describe(want, want_text, sizeof want_text);
        qd_tensor_describe(have, have_text, sizeof have_text);
        if (strcmp(want_text, have_text) != 0)
            fail_msg("%s: output %zu: want %s, have %s", row->where, output, want_text, have_text);
        for (int64_t i = 0; i < want->count; i++)
            compare_element(row, output, i);
        for (int64_t i = 0; i < want->count; i++)
            compare_points(row, output, i);
    }
}

static void check_failure(const struct row *row, const char *want, enum qd_status status,
                          const struct qd_error *error)
{
    char rule[64];
    want += strspn(want, "0123456789");
    snprintf(rule, sizeof rule, "%s/%s", row->node.op_type, want + 1);
    enum qd_status wanted = *want == '!' ? QD_INVALID : *want == '?' ? QD_UNSUPPORTED : QD_LIMIT;
    if (status != wanted)
        fail_msg("%s: want %s, have %s (%s)", row->where, qd_status_word(wanted),
                 qd_status_word(status), status == QD_OK ? "" : error->text);
    if (*want == '!')
        assert_string_equal(error->rule, rule);
    else if (!strstr(error->text, want + 1))
        fail_msg("%s: '%s' does not say '%s'", row->where, error->text, want + 1);
}

void row_check(const char *file, int line, const char *switches, const char *op, long long opset,
               const char *inputs, const char *attributes, const char *want)
{
    static struct row row; /* large; one test runs at a time */
    char where[600];
    struct qd_semantics semantics;
    struct qd_error error = {.text = ""};
    snprintf(where, sizeof where, "%s:%d: %s-%lld(%.400s; %.80s)", file, line, op, opset, inputs,
             attributes);
    row = (struct row){.where = where};
    const char *colon = strchr(op, ':');
    const char *domain = colon ? "com.microsoft" : "";
    op = colon ? colon + 1 : op;
    row.node = (struct qd_node){.name = "", .domain = domain, .op_type = op, .opset = opset};
    row.node.op = qd_op_find(domain, op);
    assert_non_null(row.node.op);
    qd_arena_init(&row.arena, QD_ARENA_DEFAULT_BUDGET);
    assert_int_equal(qd_semantics_parse(switches, true, &semantics, &error), QD_OK);
    row.in_count = row.node.input_count = read_values(&row, inputs, row.in, row.absent);
    read_attributes(&row, attributes);
    bool fails = strchr("!?#", want[strspn(want, "0123456789")]) != NULL;
    row.want_count = fails ? 0 : read_values(&row, want, row.want, NULL);
    row.node.output_count =
        fails ? (isdigit((unsigned char)*want) ? strtoul(want, NULL, 10) : 1) : row.want_count;
    assert_true(row.node.output_count > 0);
    enum qd_status status = has_hulls(&row) ? run_operator(&row, &semantics, &error)
                                            : run_graph(&row, &semantics, &error);
    if (fails)
        check_failure(&row, want, status, &error);
    else if (status != QD_OK)
        fail_msg("%s: %s", row.where, error.text);
    else
        compare(&row);
    qd_arena_clear(&row.arena);
}
