/* SPDX-License-Identifier: Apache-2.0 */
/* Property: the reference holds. On every case: each canonical value is admissible, each admissible set is a range of
 * the output's type. On a case of one node that the second implementation (reference/twin/twin.h, GMP rationals) has
 * too: both give the same values and the same sets; and every permitted order of a requantization, computed in float32
 * and in float64 with rounding to nearest, answers inside the set. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "qdiff/counters.h"
#include "twin/twin.h"

const struct qd_engine_harness qd_engine_harness = {
    .property = "the reference agrees with its GMP twin, and its sets are sound",
};

#define MAX_TWIN_ELEMENTS 512 /* of all operands and outputs: rationals are slow */
#define MAX_ORDER_ELEMENTS 32 /* whose orders are computed one by one */
#define MAX_TWIN_TERMS 4096   /* outputs times elements of the second operand */

static struct {
    struct qd_arena arena;
    uint64_t executions, valid, twins, orders, elements;
} state;

static void print_totals(void)
{
    fprintf(
        stderr,
        "# fuzz_oracle: %llu executions, %llu valid, %llu elements; %llu cases checked against the "
        "twin, %llu answers of single orders\n",
        (unsigned long long)state.executions, (unsigned long long)state.valid,
        (unsigned long long)state.elements, (unsigned long long)state.twins,
        (unsigned long long)state.orders);
}

static _Noreturn void fail(const struct qd_case *kase, const char *what, const char *text)
{
    fprintf(stderr, "%s\nAssertion failure: oracle-%s-%s\nDEDUP_TOKEN: oracle-%s-%s\n", text,
            kase->op, what, kase->op, what);
    abort();
}

/* --- Memory of the rationals -------------------------------------------------------------------- */

/* Small blocks by size, which are kept once they are free: under AddressSanitizer malloc takes most of the twin's time,
 * and it is not the twin that is tested. */
#define GRAIN 16
#define GRAINS 16
#define POOL_BYTES ((size_t)1 << 20)

static struct {
    void *unused[GRAINS + 1]; /* by size in grains; each begins with the next one's address */
    char *at, *end;
} pool;

static void *more(size_t size)
{
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

static void *take_block(size_t size)
{
    size_t grains = (size + GRAIN - 1) / GRAIN;
    if (grains > GRAINS)
        return more(size);
    void *block = pool.unused[grains];
    if (block) {
        memcpy(&pool.unused[grains], block, sizeof block);
        return block;
    }
    if ((size_t)(pool.end - pool.at) < grains * GRAIN) {
        pool.at = more(POOL_BYTES);
        pool.end = pool.at + POOL_BYTES;
    }
    block = pool.at;
    pool.at += grains * GRAIN;
    return block;
}

static void free_block(void *block, size_t size)
{
    size_t grains = (size + GRAIN - 1) / GRAIN;
    if (grains > GRAINS) {
        free(block);
        return;
    }
    memcpy(block, &pool.unused[grains], sizeof block);
    pool.unused[grains] = block;
}

static void *resize_block(void *block, size_t old_size, size_t size)
{
    void *made = take_block(size);
    memcpy(made, block, old_size < size ? old_size : size);
    free_block(block, old_size);
    return made;
}

/* --- Every case -------------------------------------------------------------------------------- */

static void check_element(const struct qd_case *kase, const struct qd_value *value, int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    const struct qd_dtype_info *info = qd_dtype_info(value->want.dtype);
    double want = qd_tensor_value(&value->want, i);
    if (seen.unspecified)
        return;
    if (isnan(want)) {
        if (!seen.nan)
            fail(kase, "canonical", "a canonical NaN that is not admissible");
        return;
    }
    if (!seen.nan && !(seen.lo <= seen.hi))
        fail(kase, "empty", "an empty admissible set");
    if (seen.canonical && !(want >= seen.lo && want <= seen.hi))
        fail(kase, "canonical", "a canonical value that is not admissible");
    bool inside = seen.lo >= (double)info->min && seen.hi <= (double)info->max;
    if (qd_dtype_is_integer(value->want.dtype) && info->bits <= 32 && !inside)
        fail(kase, "range", "an admissible code that the type does not have");
}

static void check_values(const struct qd_case *kase, const struct qd_value *values)
{
    for (size_t o = 0; o < kase->graph->output_count; o++)
        for (int64_t i = 0; i < values[o].want.count; i++) {
            check_element(kase, &values[o], i);
            state.elements++;
        }
}

/* --- The twin ---------------------------------------------------------------------------------- */

static void dynamic_quantize_linear(const struct qd_node *node, const struct qd_tensor *const *in,
                                    struct twin_result *out)
{
    (void)node;
    twin_dynamic_quantize_linear(in[0], out);
}

static void matmul_integer(const struct qd_node *node, const struct qd_tensor *const *in,
                           struct twin_result *out)
{
    (void)node;
    twin_matmul_integer(in, out);
}

static void qlinear_matmul(const struct qd_node *node, const struct qd_tensor *const *in,
                           struct twin_result *out)
{
    (void)node;
    twin_qlinear_matmul(in, out);
}

typedef void twin(const struct qd_node *node, const struct qd_tensor *const *in,
                  struct twin_result *out);

static const struct {
    const char *op_type;
    size_t outputs;
    twin *compute;
} twins[] = {
    {"QLinearConv", 1, twin_qlinear_conv},
    {"ConvInteger", 1, twin_conv_integer},
    {"QuantizeLinear", 1, twin_quantize_linear},
    {"DequantizeLinear", 1, twin_dequantize_linear},
    {"MatMulInteger", 1, matmul_integer},
    {"QLinearMatMul", 1, qlinear_matmul},
    {"DynamicQuantizeLinear", 3, dynamic_quantize_linear},
};

/* One node and its operands. */
struct single {
    const struct qd_case *kase;
    const struct qd_node *node;
    const struct qd_tensor *in[QD_MAX_OPERANDS];
};

/* False for a graph of more nodes, an operand that is no tensor, too much work for rationals, or nothing to compare. */
static bool single_of(const struct qd_case *kase, const struct qd_value *values,
                      struct single *single)
{
    const struct qd_graph *graph = kase->graph;
    int64_t elements = values[0].want.count;
    if (graph->node_count != 1 || *graph->nodes[0].domain || elements == 0)
        return false;
    *single = (struct single){kase, &graph->nodes[0], {NULL}};
    for (size_t j = 0; j < single->node->input_count; j++) {
        int v = single->node->inputs[j];
        if (v == QD_NO_VALUE)
            continue;
        single->in[j] = graph->values[v].initializer;
        for (size_t i = 0; i < graph->input_count; i++)
            if (graph->inputs[i] == v)
                single->in[j] = &kase->inputs[i];
        if (!single->in[j])
            return false;
        elements += single->in[j]->count;
    }
    bool product = strstr(single->node->op_type, "Conv") || strstr(single->node->op_type, "MatMul");
    for (size_t j = 1; product && j < 4; j++)
        if (single->in[j] && values[0].want.count * single->in[j]->count > MAX_TWIN_TERMS)
            return false;
    return elements <= MAX_TWIN_ELEMENTS;
}

static void check_twin(const struct single *single, const struct qd_value *values, size_t row)
{
    struct twin_result results[3];
    struct twin_tally tally = {0};
    char text[512];
    const struct qd_graph *graph = single->kase->graph;
    twins[row].compute(single->node, single->in, results);
    for (size_t o = 0; o < graph->output_count; o++)
        for (size_t j = 0; j < twins[row].outputs; j++)
            if (graph->outputs[o] == single->node->outputs[j] &&
                !twin_compare(&results[j], &values[o], &tally, text, sizeof text))
                fail(single->kase, "twin", text);
    for (size_t j = 0; j < twins[row].outputs; j++)
        twin_result_clear(&results[j]);
    state.twins++;
}

/* --- Single orders ----------------------------------------------------------------------------- */

struct scales {
    struct twin_number s1, s2, sy;
};

/* Every order's answer to one accumulator, where it neither over- nor underflows. */
static void check_orders(const struct single *single, const struct qd_value *y, int64_t i,
                         int64_t acc, const struct scales *s)
{
    static const enum qd_dtype types[] = {QD_F32, QD_F64};
    struct qd_observation seen = qd_value_observe(y, i);
    int64_t zero_point = qd_tensor_get(single->in[7], 0), code;
    for (unsigned order = 0; !seen.unspecified && order < TWIN_ORDERS; order++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            if (!twin_requantize_nearest(order, types[t], acc, s->s1.q, s->s2.q, s->sy.q,
                                         y->want.dtype, zero_point, &code))
                continue;
            state.orders++;
            if ((double)code < seen.lo || (double)code > seen.hi)
                fail(single->kase, "order", twin_order_text(order));
        }
}

static bool usable(const struct scales *s)
{
    return s->s1.kind == TWIN_FINITE && s->s2.kind == TWIN_FINITE && s->sy.kind == TWIN_FINITE &&
           mpq_sgn(s->sy.q) != 0;
}

/* A convolution with float32 scales: its accumulators are those of ConvInteger. */
static void check_conv_orders(const struct single *single, const struct qd_value *y)
{
    const struct qd_tensor *const *in = single->in, *const bias = in[8];
    const struct qd_tensor *integer[] = {in[0], in[3], in[2], in[5]};
    struct twin_result sums;
    struct scales s;
    if (in[1]->dtype != QD_F32 || y->want.rank < 3 || y->want.count == 0)
        return;
    twin_number_init(&s.s1);
    twin_number_init(&s.s2);
    twin_number_init(&s.sy);
    twin_element_of(in[1], 0, &s.s1);
    twin_element_of(in[6], 0, &s.sy);
    twin_conv_integer(single->node, integer, &sums);
    int64_t channels = y->want.dims[1], plane = y->want.count / (y->want.dims[0] * channels);
    int64_t step = 1 + sums.count / MAX_ORDER_ELEMENTS;
    for (int64_t i = 0; i < sums.count; i += step) {
        int64_t m = i / plane % channels;
        twin_element_of(in[4], in[4]->count > 1 ? m : 0, &s.s2);
        if (!usable(&s) || sums.elements[i].unspecified)
            continue;
        int64_t acc = (int64_t)mpq_get_d(sums.elements[i].want.q);
        check_orders(single, y, i, acc + (bias ? twin_integer_of(bias, m) : 0), &s);
    }
    twin_result_clear(&sums);
    twin_number_clear(&s.s1);
    twin_number_clear(&s.s2);
    twin_number_clear(&s.sy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct single single;
    struct qd_error error;
    if (state.executions++ == 0) {
        qd_arena_init(&state.arena, QD_FUZZ_MEMORY);
        mp_set_memory_functions(take_block, resize_block, free_block);
        atexit(print_totals);
    }
    qd_arena_reset(&state.arena);
    if (qd_case_decode(data, size, &state.arena, &kase, &error) != QD_OK ||
        kase.graph->output_count > QD_CASE_EDIT_MAX_OUTPUTS)
        return -1;
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase.graph, kase.inputs,
                                                     NULL, &state.arena, values, &error);
    qd_counters_case(qd_engine_counters, &kase, status, values);
    qd_engine_publish();
    if (status != QD_OK)
        return -1;
    state.valid++;
    check_values(&kase, values);
    if (kase.graph->output_count == 0 || !single_of(&kase, values, &single))
        return 0;
    for (size_t row = 0; row < sizeof twins / sizeof *twins; row++)
        if (strcmp(twins[row].op_type, single.node->op_type) == 0)
            check_twin(&single, values, row);
    if (strcmp(single.node->op_type, "QLinearConv") == 0)
        check_conv_orders(&single, &values[0]);
    return 0;
}
