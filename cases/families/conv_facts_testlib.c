/* SPDX-License-Identifier: Apache-2.0 */
#include "families/conv_facts_testlib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gmp.h>
#include <cmocka.h>

#define MAX_SPATIAL 3

struct conv {
    struct qd_tensor in[9];
    const struct qd_node *node;
    unsigned spatial;
    int64_t size[MAX_SPATIAL], kernel[MAX_SPATIAL], stride[MAX_SPATIAL], dilation[MAX_SPATIAL];
    int64_t before[MAX_SPATIAL], after[MAX_SPATIAL], out[MAX_SPATIAL];
    int64_t group, depth, filters, batch;
};

static struct qd_tensor operand(const struct qd_case *kase, const struct qd_node *node, size_t i)
{
    struct qd_tensor none = {0};
    if (i >= node->input_count || node->inputs[i] == QD_NO_VALUE)
        return none;
    const struct qd_graph_value *value = &kase->graph->values[node->inputs[i]];
    if (value->initializer)
        return *value->initializer;
    for (size_t k = 0; k < kase->input_count; k++)
        if (kase->graph->inputs[k] == node->inputs[i])
            return kase->inputs[k];
    fail_msg("%s: input %zu has no value", kase->id, i);
    return none;
}

static void read_ints(const struct qd_node *node, const char *name, int64_t *out, size_t count)
{
    const struct qd_attr *attr = qd_node_attr(node, name);
    for (size_t i = 0; attr && i < count && i < attr->count; i++)
        out[i] = attr->ints[i];
}

static void read_geometry(struct conv *c)
{
    int64_t pads[2 * MAX_SPATIAL] = {0};
    const struct qd_attr *mode = qd_node_attr(c->node, "auto_pad");
    read_ints(c->node, "strides", c->stride, c->spatial);
    read_ints(c->node, "dilations", c->dilation, c->spatial);
    read_ints(c->node, "pads", pads, 2 * c->spatial);
    for (unsigned i = 0; i < c->spatial; i++) {
        int64_t reach = c->dilation[i] * (c->kernel[i] - 1);
        c->before[i] = pads[i];
        c->after[i] = pads[c->spatial + i];
        if (mode && strncmp(mode->s, "SAME", 4) == 0) {
            c->out[i] = c->size[i] / c->stride[i] + (c->size[i] % c->stride[i] != 0);
            int64_t missing = (c->out[i] - 1) * c->stride[i] + reach + 1 - c->size[i];
            missing = missing < 0 ? 0 : missing;
            bool odd_first = strcmp(mode->s, "SAME_LOWER") == 0;
            c->before[i] = (missing + odd_first) / 2;
            c->after[i] = missing - c->before[i];
        }
        for (c->out[i] = 0;
             c->out[i] * c->stride[i] + reach < c->size[i] + c->before[i] + c->after[i];)
            c->out[i]++;
    }
}

static void read_case(const struct qd_case *kase, struct conv *c)
{
    assert_int_equal(1, kase->graph->node_count);
    c->node = &kase->graph->nodes[0];
    assert_string_equal("QLinearConv", c->node->op_type);
    for (size_t i = 0; i < 9; i++)
        c->in[i] = operand(kase, c->node, i);
    const struct qd_attr *group = qd_node_attr(c->node, "group");
    c->spatial = c->in[0].rank - 2;
    assert_in_range(c->spatial, 1, MAX_SPATIAL);
    c->group = group ? group->i : 1;
    c->batch = c->in[0].dims[0];
    c->filters = c->in[3].dims[0];
    c->depth = c->in[3].dims[1];
    for (unsigned i = 0; i < c->spatial; i++) {
        c->size[i] = c->in[0].dims[2 + i];
        c->kernel[i] = c->in[3].dims[2 + i];
        c->stride[i] = c->dilation[i] = 1;
    }
    read_geometry(c);
}

static int64_t entry(const struct qd_tensor *t, int64_t m)
{
    return t->count == 1 ? 0 : m;
}

/* x minus its zero point at a position of the padded input, 0 in the padding; *raw is the code
 * there. */
static int64_t x_at(const struct conv *c, int64_t n, int64_t channel, const int64_t *at,
                    int64_t *raw)
{
    int64_t index = n * c->in[0].dims[1] + channel, zero = qd_tensor_get(&c->in[2], 0);
    *raw = zero;
    for (unsigned i = 0; i < c->spatial; i++) {
        int64_t p = at[i] - c->before[i];
        if (p < 0 || p >= c->size[i])
            return 0;
        index = index * c->size[i] + p;
    }
    *raw = qd_tensor_get(&c->in[0], index);
    return *raw - zero;
}

/* One output element's sum, tap by tap in row-major order. */
static int64_t accumulate(const struct conv *c, int64_t n, int64_t m, int64_t o, bool *full_pair)
{
    int64_t taps = 1, acc = c->in[8].data ? qd_tensor_get(&c->in[8], m) : 0, before = 0;
    int64_t zero = qd_tensor_get(&c->in[5], entry(&c->in[5], m));
    for (unsigned i = 0; i < c->spatial; i++)
        taps *= c->kernel[i];
    for (int64_t k = 0; k < c->depth * taps; k++) {
        int64_t tap = k % taps, at[MAX_SPATIAL], raw,
                w = qd_tensor_get(&c->in[3], m * c->depth * taps + k);
        int64_t rest = o;
        for (unsigned i = c->spatial; i-- > 0;) {
            at[i] = rest % c->out[i] * c->stride[i] + tap % c->kernel[i] * c->dilation[i];
            rest /= c->out[i];
            tap /= c->kernel[i];
        }
        int64_t channel = m / (c->filters / c->group) * c->depth + k / taps;
        acc += x_at(c, n, channel, at, &raw) * (w - zero);
        *full_pair = *full_pair || (k % 2 && llabs(before + raw * w) > INT16_MAX);
        before = raw * w;
    }
    return acc;
}

/* Twice the real value: 2·acc·x_scale·w_scale/y_scale. */
static void doubled(const struct conv *c, int64_t m, int64_t acc, mpq_t v)
{
    mpq_t factor;
    mpq_init(factor);
    mpq_set_si(v, 2 * acc, 1);
    mpq_set_d(factor, qd_tensor_value(&c->in[1], 0));
    mpq_mul(v, v, factor);
    mpq_set_d(factor, qd_tensor_value(&c->in[4], entry(&c->in[4], m)));
    mpq_mul(v, v, factor);
    mpq_set_d(factor, qd_tensor_value(&c->in[6], 0));
    mpq_div(v, v, factor);
    mpq_clear(factor);
}

/* Half-even rounding of v/2, as an exact integer, clipped to ±2^40. */
static int64_t rounded(const mpq_t v)
{
    mpz_t q, r, den;
    mpz_inits(q, r, den, NULL);
    mpz_mul_ui(den, mpq_denref(v), 2);
    mpz_fdiv_qr(q, r, mpq_numref(v), den);
    mpz_mul_ui(r, r, 2);
    int side = mpz_cmp(r, den);
    if (side > 0 || (side == 0 && mpz_odd_p(q)))
        mpz_add_ui(q, q, 1);
    int64_t clip = (int64_t)1 << 40;
    int64_t code = mpz_sizeinbase(q, 2) > 40 ? mpz_sgn(q) * clip : mpz_get_si(q);
    mpz_clears(q, r, den, NULL);
    return code;
}

/* v is twice a value: whether it is an odd integer, or differs from the nearest one by at most
 * 2^-22 of itself. */
static void judge_tie(const mpq_t v, bool *tie, bool *near)
{
    mpz_t odd;
    mpq_t distance, limit;
    mpz_init(odd);
    mpq_inits(distance, limit, NULL);
    mpz_fdiv_q(odd, mpq_numref(v), mpq_denref(v));
    if (mpz_even_p(odd))
        mpz_add_ui(odd, odd, 1);
    mpq_set_z(distance, odd);
    mpq_sub(distance, v, distance);
    mpq_abs(distance, distance);
    mpq_abs(limit, v);
    mpq_div_2exp(limit, limit, 22);
    *tie = mpq_sgn(distance) == 0;
    *near = !*tie && mpq_cmp(distance, limit) <= 0;
    mpz_clear(odd);
    mpq_clears(distance, limit, NULL);
}

static int64_t note_element(const struct conv *c, int64_t m, int64_t acc,
                            struct qd_conv_facts *facts)
{
    bool tie, near;
    mpq_t v;
    const struct qd_dtype_info *type = qd_dtype_info(c->in[7].dtype);
    mpq_init(v);
    doubled(c, m, acc, v);
    int64_t code = rounded(v) + qd_tensor_get(&c->in[7], 0);
    judge_tie(v, &tie, &near);
    facts->elements++;
    facts->ties += tie;
    facts->ties_in_range += tie && code - 1 >= type->min && code + 1 <= type->max;
    facts->near_ties += near;
    facts->at_edges += llabs(code - type->min) <= 1 || llabs(code - type->max) <= 1;
    facts->saturated += code < type->min || code > type->max;
    facts->beyond_float += llabs(acc) > 1 << 24;
    facts->beyond_int32 += acc > INT32_MAX || acc < INT32_MIN;
    mpq_clear(v);
    return code < type->min ? type->min : code > type->max ? type->max : code;
}

/* Whether a positive float32 is an odd number of at most `odd` times a power of two. */
static bool is_simple(double x, double odd)
{
    mpq_t q;
    mpz_t part;
    mpq_init(q);
    mpz_init(part);
    mpq_set_d(q, x);
    mp_bitcnt_t twos = mpz_scan1(mpq_numref(q), 0);
    mpz_fdiv_q_2exp(part, mpq_numref(q), twos);
    bool simple = mpz_cmp_d(part, odd) <= 0;
    mpq_clear(q);
    mpz_clear(part);
    return simple;
}

void qd_conv_facts_of(const struct qd_case *kase, struct qd_conv_facts *facts, int64_t *codes,
                      size_t capacity)
{
    struct conv c = {0};
    struct qd_conv_facts made = {.powers_of_two = true};
    int64_t plane = 1;
    read_case(kase, &c);
    for (unsigned i = 0; i < c.spatial; i++)
        plane *= c.out[i];
    for (int64_t n = 0; n < c.batch; n++)
        for (int64_t m = 0; m < c.filters; m++)
            for (int64_t o = 0; o < plane; o++) {
                bool full_pair = false;
                int64_t acc = accumulate(&c, n, m, o, &full_pair);
                int64_t bias = c.in[8].data ? qd_tensor_get(&c.in[8], m) : 0;
                int64_t code = note_element(&c, m, acc, &made);
                made.deep += llabs(acc - bias) > 1 << 25;
                made.full_pairs += full_pair;
                if (codes && (size_t)made.elements <= capacity)
                    codes[made.elements - 1] = code;
            }
    made.powers_of_two =
        is_simple(qd_tensor_value(&c.in[6], 0), 1) && is_simple(qd_tensor_value(&c.in[1], 0), 5);
    for (int64_t m = 0; m < c.in[4].count; m++)
        made.powers_of_two = made.powers_of_two && is_simple(qd_tensor_value(&c.in[4], m), 5);
    made.terms = c.in[3].count / c.filters;
    *facts = made;
}
