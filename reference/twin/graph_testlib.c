/* SPDX-License-Identifier: Apache-2.0 */
/* One-node graphs, random numbers and comparison for the twin's tests. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"
#include "twin/under_asan.h"

void twin_node_init(struct twin_node *twin, const char *op_type, int64_t opset, size_t outputs)
{
    assert(outputs <= TWIN_MAX_OUTPUTS);
    *twin =
        (struct twin_node){.node = {.name = "", .domain = "", .op_type = op_type, .opset = opset}};
    twin->node.op = qd_op_find("", op_type);
    twin->node.output_count = outputs;
}

void twin_node_init_vendor(struct twin_node *twin, const char *op_type)
{
    twin_node_init(twin, op_type, 1, 1);
    twin->node.domain = "com.microsoft";
    twin->node.op = qd_op_find("com.microsoft", op_type);
}

void twin_node_input(struct twin_node *twin, const struct qd_tensor *tensor)
{
    size_t i = twin->node.input_count++;
    assert(i < TWIN_MAX_INPUTS);
    if (tensor) {
        twin->tensors[i] = *tensor;
        twin->in[i] = &twin->tensors[i];
    }
}

static struct qd_attr *add_attribute(struct twin_node *twin, const char *name,
                                     enum qd_attr_kind kind)
{
    assert(twin->node.attr_count < TWIN_MAX_ATTRS);
    struct qd_attr *attr = &twin->attrs[twin->node.attr_count++];
    attr->name = name;
    attr->kind = kind;
    return attr;
}

void twin_node_int(struct twin_node *twin, const char *name, int64_t value)
{
    add_attribute(twin, name, QD_ATTR_INT)->i = value;
}

void twin_node_float(struct twin_node *twin, const char *name, float value)
{
    add_attribute(twin, name, QD_ATTR_FLOAT)->f = value;
}

void twin_node_string(struct twin_node *twin, const char *name, const char *value)
{
    add_attribute(twin, name, QD_ATTR_STRING)->s = value;
}

void twin_node_ints(struct twin_node *twin, const char *name, const int64_t *values, size_t count)
{
    struct qd_attr *attr = add_attribute(twin, name, QD_ATTR_INTS);
    attr->ints = values;
    attr->count = count;
}

enum qd_status twin_node_evaluate(struct twin_node *twin, bool initializers,
                                  const struct qd_semantics *semantics, struct qd_arena *arena,
                                  struct qd_value *outputs, struct qd_error *error)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g",
                                        "h", "i", "j", "k", "l", "m", "n"};
    struct qd_graph_value values[TWIN_MAX_INPUTS + TWIN_MAX_OUTPUTS] = {0};
    struct qd_tensor fed[TWIN_MAX_INPUTS];
    int inputs[TWIN_MAX_INPUTS];
    struct qd_graph graph = {
        .values = values, .nodes = &twin->node, .node_count = 1, .inputs = inputs};
    for (size_t i = 0; i < twin->node.input_count; i++) {
        twin->input_index[i] = QD_NO_VALUE;
        if (!twin->in[i])
            continue;
        twin->input_index[i] = (int)graph.value_count;
        if (initializers && i > 0) {
            values[graph.value_count].initializer = twin->in[i];
        } else {
            fed[graph.input_count] = *twin->in[i];
            inputs[graph.input_count++] = (int)graph.value_count;
        }
        graph.value_count++;
    }
    for (size_t i = 0; i < twin->node.output_count; i++)
        twin->output_index[i] = (int)graph.value_count++;
    for (size_t i = 0; i < graph.value_count; i++) {
        values[i].name = names[i];
        values[i].declared_rank = -1;
    }
    twin->node.inputs = twin->input_index;
    twin->node.outputs = twin->output_index;
    twin->node.attrs = twin->attrs;
    graph.outputs = twin->output_index;
    graph.output_count = twin->node.output_count;
    enum qd_status status = qd_graph_check(&graph, error);
    return status == QD_OK ? qd_graph_evaluate(&graph, fed, semantics, arena, outputs, error)
                           : status;
}

void twin_node_answer(struct twin_node *twin, struct qd_arena *arena, struct qd_value *outputs)
{
    struct qd_error error = {0};
    char node[2000];
    if (twin_node_evaluate(twin, false, NULL, arena, outputs, &error) != QD_OK)
        fail_msg("%s: reference refuses: %s", twin_node_describe(twin, node, sizeof node),
                 error.text);
}

/* --- Graphs of several nodes --- */

static int add_value(struct twin_graph *graph)
{
    assert(graph->graph.value_count < TWIN_MAX_VALUES);
    int id = (int)graph->graph.value_count++;
    graph->values[id].name = "";
    graph->values[id].declared_rank = -1;
    return id;
}

void twin_graph_init(struct twin_graph *graph)
{
    *graph = (struct twin_graph){0};
    graph->graph.values = graph->values;
    graph->graph.nodes = graph->nodes;
    graph->graph.inputs = graph->feeds;
}

int twin_graph_constant(struct twin_graph *graph, const struct qd_tensor *tensor)
{
    int id = add_value(graph);
    graph->tensors[id] = *tensor;
    graph->values[id].initializer = &graph->tensors[id];
    return id;
}

int twin_graph_feed(struct twin_graph *graph, const struct qd_tensor *tensor)
{
    int id = add_value(graph);
    graph->fed[graph->graph.input_count] = *tensor;
    graph->feeds[graph->graph.input_count++] = id;
    return id;
}

int twin_graph_node(struct twin_graph *graph, const char *op_type, const int *inputs, size_t count,
                    int64_t axis)
{
    assert(graph->graph.node_count < TWIN_MAX_NODES && count <= TWIN_MAX_INPUTS);
    size_t n = graph->graph.node_count++;
    struct qd_node *node = &graph->nodes[n];
    for (size_t i = 0; i < count; i++)
        graph->input_ids[n][i] = inputs[i];
    graph->output_ids[n] = add_value(graph);
    *node = (struct qd_node){.name = "", .domain = "", .op_type = op_type, .opset = 21};
    node->op = qd_op_find("", op_type);
    node->inputs = graph->input_ids[n];
    node->input_count = count;
    node->outputs = &graph->output_ids[n];
    node->output_count = 1;
    node->attrs = &graph->attrs[n];
    node->attr_count = axis >= 0;
    graph->attrs[n] = (struct qd_attr){.name = "axis", .kind = QD_ATTR_INT, .i = axis};
    return graph->output_ids[n];
}

int twin_graph_operator(struct twin_graph *graph, const struct twin_node *like, const int *inputs,
                        size_t count)
{
    int output = twin_graph_node(graph, like->node.op_type, inputs, count, -1);
    struct qd_node *node = &graph->nodes[graph->graph.node_count - 1];
    node->opset = like->node.opset;
    node->attrs = like->attrs;
    node->attr_count = like->node.attr_count;
    return output;
}

void twin_graph_evaluate(struct twin_graph *graph, const int *outputs, size_t count,
                         struct qd_arena *arena, struct qd_value *values)
{
    struct qd_error error = {0};
    graph->graph.outputs = outputs;
    graph->graph.output_count = count;
    enum qd_status status = qd_graph_check(&graph->graph, &error);
    if (status == QD_OK)
        status = qd_graph_evaluate(&graph->graph, graph->fed, NULL, arena, values, &error);
    if (status != QD_OK)
        fail_msg("the reference refuses: %s", error.text);
}

/* --- Text --- */

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_number(char *text, size_t size, const struct twin_number *number)
{
    static const char *const words[] = {"", "inf", "-inf", "nan"};
    if (number->kind != TWIN_FINITE)
        append(text, size, "%s", words[number->kind]);
    else
        append(text, size, "%.17g", mpq_get_d(number->q));
}

/* The shape, and the values of small tensors: enough to repeat a failure by hand. */
static void append_tensor(char *text, size_t size, const struct qd_tensor *tensor)
{
    append(text, size, "%s[", qd_dtype_info(tensor->dtype)->word);
    for (unsigned axis = 0; axis < tensor->rank; axis++)
        append(text, size, axis ? ",%" PRId64 : "%" PRId64, tensor->dims[axis]);
    append(text, size, "]");
    if (tensor->count > 16)
        return;
    struct twin_number number;
    twin_number_init(&number);
    append(text, size, "{");
    for (int64_t i = 0; i < tensor->count; i++) {
        twin_element_of(tensor, i, &number);
        append(text, size, i ? " " : "");
        append_number(text, size, &number);
    }
    append(text, size, "}");
    twin_number_clear(&number);
}

static void append_attribute(char *text, size_t size, const struct qd_attr *attr)
{
    append(text, size, " %s=", attr->name);
    if (attr->kind == QD_ATTR_STRING)
        append(text, size, "%s", attr->s);
    else if (attr->kind == QD_ATTR_INT)
        append(text, size, "%" PRId64, attr->i);
    else if (attr->kind == QD_ATTR_FLOAT)
        append(text, size, "%a", (double)attr->f);
    for (size_t i = 0; i < attr->count; i++)
        append(text, size, i ? ",%" PRId64 : "%" PRId64, attr->ints[i]);
}

const char *twin_node_describe(const struct twin_node *twin, char *text, size_t size)
{
    text[0] = '\0';
    append(text, size, "%s-%" PRId64 "(", twin->node.op_type, twin->node.opset);
    for (size_t i = 0; i < twin->node.input_count; i++) {
        append(text, size, i ? ", " : "");
        if (twin->in[i])
            append_tensor(text, size, twin->in[i]);
    }
    append(text, size, ";");
    for (size_t i = 0; i < twin->node.attr_count; i++)
        append_attribute(text, size, &twin->attrs[i]);
    append(text, size, ")");
    return text;
}

/* --- Comparison --- */

static void number_of_double(double x, struct twin_number *number)
{
    number->kind = isnan(x)    ? TWIN_NAN
                   : !isinf(x) ? TWIN_FINITE
                   : x > 0     ? TWIN_PLUS_INF
                               : TWIN_MINUS_INF;
    if (number->kind == TWIN_FINITE)
        mpq_set_d(number->q, x);
}

static bool same_flag(bool want, bool have, const char *name, char *text, size_t size)
{
    if (want != have)
        append(text, size, "%s: twin %d, reference %d", name, want, have);
    return want == have;
}

static bool same_number(const struct twin_number *want, const struct twin_number *have,
                        const char *name, char *text, size_t size)
{
    if (twin_number_equal(want, have))
        return true;
    append(text, size, "%s: twin ", name);
    append_number(text, size, want);
    append(text, size, ", reference ");
    append_number(text, size, have);
    append(text, size, "; ");
    return false;
}

/* One specified element: want, lo, hi. */
static bool same_element(const struct twin_element *want, const struct qd_value *value,
                         const struct qd_observation *have, int64_t i, char *text, size_t size)
{
    struct twin_number number;
    twin_number_init(&number);
    twin_element_of(&value->want, i, &number);
    bool same = same_number(&want->want, &number, "canonical", text, size);
    bool is_nan = want->want.kind == TWIN_NAN;
    same = same_flag(is_nan || want->nan_too, qd_observation_admits(have, NAN), "NaN admissible",
                     text, size) &&
           same;
    if (!is_nan) {
        number_of_double(have->lo, &number);
        same = same_number(&want->lo, &number, "least admissible", text, size) && same;
        number_of_double(have->hi, &number);
        same = same_number(&want->hi, &number, "greatest admissible", text, size) && same;
    }
    twin_number_clear(&number);
    return same && same_flag(true, have->canonical, "has a canonical value", text, size);
}

bool twin_element_admits(const struct twin_element *element, int64_t code)
{
    for (unsigned k = 0; k < element->code_count; k++)
        if (element->codes[k] == code)
            return true;
    return element->code_count == 0 && mpq_cmp_si(element->lo.q, code, 1) <= 0 &&
           mpq_cmp_si(element->hi.q, code, 1) >= 0;
}

static bool is_dropped(const struct twin_element *element, int64_t code)
{
    for (unsigned k = 0; k < element->dropped_count; k++)
        if (element->dropped[k] == code)
            return true;
    return false;
}

/* Which codes are admissible. Those of orders that over- or underflow are not the twin's where it
 * does not know them; of many the reference has room for some. */
static bool same_codes(const struct twin_element *want, const struct qd_observation *have,
                       enum qd_dtype dtype, char *text, size_t size)
{
    enum { MOST = 4096 };
    bool all = want->dropped_count > 0;
    int64_t lo = all ? twin_code_min(dtype) : (int64_t)have->lo,
            hi = all ? twin_code_max(dtype) : (int64_t)have->hi;
    for (int64_t code = lo; code <= hi && code < lo + MOST; code++) {
        bool is = twin_element_admits(want, code), dropped = !is && is_dropped(want, code),
             open = (want->extreme && !want->dropped_known) ||
                    (dropped && want->dropped_count > QD_MAX_DROPPED),
             admitted = qd_observation_admits(have, (double)code);
        if ((is || dropped) == admitted || (open && !is))
            continue;
        snprintf(text, size, "code %" PRId64 " is %s", code,
                 admitted ? "no order's" : "an order's, and not admissible");
        return false;
    }
    return true;
}

static bool compare_element(const struct twin_element *element, const struct qd_value *have,
                            int64_t i, struct twin_tally *tally, char *text, size_t size)
{
    struct qd_observation observation = qd_value_observe(have, i);
    tally->elements++;
    tally->unspecified += element->unspecified;
    tally->extreme += element->extreme;
    if (!same_flag(element->unspecified, observation.unspecified, "unspecified", text, size))
        return false;
    if (element->unspecified)
        return true;
    bool extreme = qd_value_flags(have, i) & QD_EXTREME_SCALE;
    tally->slack += !twin_number_equal(&element->lo, &element->hi);
    tally->narrowed += element->narrowed;
    return same_element(element, have, &observation, i, text, size) &&
           (!qd_dtype_is_integer(have->want.dtype) ||
            same_codes(element, &observation, have->want.dtype, text, size)) &&
           same_flag(element->extreme, extreme, "extreme scale", text, size);
}

void twin_check_formula(enum twin_formula formula, const struct twin_terms *terms,
                        int64_t zero_point, const struct qd_value *have, int64_t i,
                        struct twin_tally *tally)
{
    struct twin_result want;
    char text[256] = "";
    twin_result_init(&want, have->want.dtype, 0, NULL);
    twin_admit(formula, terms, QD_F32, have->want.dtype, zero_point, want.elements);
    if (!compare_element(want.elements, have, i, tally, text, sizeof text))
        fail_msg("%s: a %" PRId64 ", b %" PRId64 ", c %" PRId64 ", n %" PRId64
                 ", scales %a %a / %a, zero point %" PRId64 ": %s",
                 twin_order_of(formula, 0), terms->a, terms->b, terms->c, terms->n, terms->s1,
                 terms->s2, terms->sy, zero_point, text);
    twin_result_clear(&want);
}

bool twin_compare(const struct twin_result *want, const struct qd_value *have,
                  struct twin_tally *tally, char *text, size_t size)
{
    text[0] = '\0';
    bool same_shape = want->dtype == have->want.dtype && want->rank == have->want.rank &&
                      memcmp(want->dims, have->want.dims, want->rank * sizeof want->dims[0]) == 0;
    if (!same_shape) {
        append(text, size, "dtype or shape differ: reference has ");
        append_tensor(text, size, &have->want);
        tally->failures++;
        return false;
    }
    bool same = true;
    for (int64_t i = 0; i < want->count; i++) {
        char reason[256] = "";
        if (compare_element(&want->elements[i], have, i, tally, reason, sizeof reason))
            continue;
        if (same)
            tally->first = i;
        if (same)
            append(text, size, "element %" PRId64 ": %s", i, reason);
        same = false;
        tally->failures++;
    }
    return same;
}

void twin_check(struct twin_node *twin, bool initializers, const struct twin_result *want,
                struct twin_tally *tally)
{
    struct qd_arena arena;
    struct qd_error error = {0};
    struct qd_value have[TWIN_MAX_OUTPUTS] = {{.lo = NULL}};
    char text[400], node[2000];
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (twin_node_evaluate(twin, initializers, NULL, &arena, have, &error) != QD_OK)
        fail_msg("%s: reference refuses: %s", twin_node_describe(twin, node, sizeof node),
                 error.text);
    for (size_t i = 0; i < twin->node.output_count; i++)
        if (!twin_compare(&want[i], &have[i], tally, text, sizeof text))
            fail_msg("%s: output %zu: %s", twin_node_describe(twin, node, sizeof node), i, text);
    qd_arena_clear(&arena);
}

void twin_tally_print(const char *name, const struct twin_tally *tally)
{
    printf("# %s: %" PRId64 " elements, %" PRId64 " with slack, %" PRId64 " narrowed, %" PRId64
           " unspecified, %" PRId64 " extreme-scale\n",
           name, tally->elements, tally->slack, tally->narrowed, tally->unspecified,
           tally->extreme);
    assert_true(tally->elements > 0);
}

/* --- Random numbers and tensors --- */

uint64_t twin_random_bits(struct twin_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

int64_t twin_random_between(struct twin_random *random, int64_t min, int64_t max)
{
    assert(min <= max);
    return min + (int64_t)(twin_random_bits(random) % (uint64_t)(max - min + 1));
}

bool twin_random_one_in(struct twin_random *random, int64_t n)
{
    return twin_random_between(random, 1, n) == 1;
}

int64_t twin_random_code(struct twin_random *random, enum qd_dtype dtype)
{
    int64_t min = twin_code_min(dtype), max = twin_code_max(dtype);
    switch (twin_random_between(random, 0, 15)) {
    case 0: return min;
    case 1: return max;
    case 2: return min + 1;
    case 3: return max - 1;
    default: return twin_random_between(random, min, max);
    }
}

uint32_t twin_random_scale(struct twin_random *random, int min_exponent, int max_exponent)
{
    uint32_t exponent = (uint32_t)(twin_random_between(random, min_exponent, max_exponent) + 127);
    uint32_t fraction = (uint32_t)twin_random_bits(random) & 0x7fffff;
    switch (twin_random_between(random, 0, 15)) {
    case 0:
    case 1:
    case 2:
    case 3: fraction = 0; break;
    case 4: fraction = 0x400000; break; /* 1.5 = 3/2 */
    case 5: fraction = 0x200000; break; /* 1.25 = 5/4 */
    default: break;
    }
    return exponent << 23 | fraction;
}

int64_t twin_factor(void)
{
    const char *text = getenv("QDIFF_TWIN_FACTOR");
    int64_t factor = text ? strtoll(text, NULL, 10) : 1;
    return factor > 1 ? factor : 1;
}

int64_t twin_rounds(int64_t rounds)
{
    int64_t scaled = rounds * twin_factor() / (QD_UNDER_ASAN ? 10 : 2);
    return scaled > 0 ? scaled : 1;
}

int64_t twin_stride(void)
{
    return QD_UNDER_ASAN ? 8 : 1;
}

struct qd_tensor twin_tensor(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                             const int64_t *dims)
{
    struct qd_tensor tensor;
    struct qd_error error;
    if (qd_tensor_init(&tensor, arena, dtype, rank, dims, &error) != QD_OK)
        fail_msg("%s", error.text);
    return tensor;
}

struct qd_tensor twin_scalar(struct qd_arena *arena, enum qd_dtype dtype, uint64_t bits)
{
    struct qd_tensor tensor = twin_tensor(arena, dtype, 0, NULL);
    twin_put(&tensor, 0, bits);
    return tensor;
}

struct qd_tensor twin_vector(struct qd_arena *arena, enum qd_dtype dtype, int64_t count,
                             const int64_t *codes)
{
    struct qd_tensor tensor = twin_tensor(arena, dtype, 1, &count);
    for (int64_t i = 0; i < count; i++)
        twin_put(&tensor, i, (uint64_t)codes[i]);
    return tensor;
}

/* k + ½ for a k a little beyond the codes of 8-bit types, either sign, as a rational. */
static void random_edge(struct twin_random *random, mpq_t edge)
{
    mpq_set_si(edge, 2 * twin_random_between(random, -300, 300) + 1, 2);
    mpq_canonicalize(edge);
}

static uint32_t nudged(struct twin_random *random, uint32_t bits)
{
    int64_t moved = (int64_t)bits + twin_random_between(random, -2, 2);
    return moved < 1 ? 1 : moved > 0x7f7fffff ? 0x7f7fffff : (uint32_t)moved;
}

uint32_t twin_solve_divisor(struct twin_random *random, int64_t acc, const mpq_t s1, const mpq_t s2)
{
    if (acc == 0 || mpq_sgn(s1) == 0 || mpq_sgn(s2) == 0)
        return twin_random_scale(random, -10, 10);
    mpq_t edge, scale;
    mpq_inits(edge, scale, NULL);
    mpq_mul(scale, s1, s2);
    if (twin_random_one_in(random, 3)) {
        /* acc = odd·2^t: the divisor s1·s2·2^(t+1) leaves odd/2, and odd/(2f) for a factor f of
         * odd. */
        mp_bitcnt_t twos = (mp_bitcnt_t)__builtin_ctzll((unsigned long long)acc);
        mpq_mul_2exp(scale, scale, twos + 1);
        static const long factors[] = {1, 3, 5, 7};
        long factor = factors[twin_random_between(random, 0, 3)];
        mpq_set_si(edge, acc % factor == 0 ? factor : 1, 1);
        mpq_mul(scale, scale, edge);
    } else {
        random_edge(random, edge);
        mpq_div(scale, scale, edge);
        mpq_set_si(edge, acc, 1);
        mpq_mul(scale, scale, edge);
    }
    mpq_abs(scale, scale);
    uint32_t bits = (uint32_t)twin_encode(QD_F32, scale);
    mpq_clears(edge, scale, NULL);
    return twin_random_one_in(random, 2) ? bits : nudged(random, bits);
}

uint32_t twin_solve_factor(struct twin_random *random, int64_t acc, const mpq_t s1, const mpq_t sy)
{
    if (acc == 0 || mpq_sgn(s1) == 0)
        return twin_random_scale(random, -10, 10);
    mpq_t edge, scale;
    mpq_inits(edge, scale, NULL);
    random_edge(random, edge);
    mpq_mul(scale, edge, sy);
    mpq_div(scale, scale, s1);
    mpq_set_si(edge, acc, 1);
    mpq_div(scale, scale, edge);
    mpq_abs(scale, scale);
    uint32_t bits = (uint32_t)twin_encode(QD_F32, scale);
    mpq_clears(edge, scale, NULL);
    return twin_random_one_in(random, 2) ? bits : nudged(random, bits);
}
