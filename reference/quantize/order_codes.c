/* SPDX-License-Identifier: Apache-2.0 */
/* The codes that finitely many orders give, one by one: the union instead of the hull. */
#include "quantize/orders.h"

static bool has(const struct qd_codes *codes, int64_t c)
{
    for (size_t k = 0; k < codes->count; k++)
        if (codes->at[k] == c)
            return true;
    return false;
}

void qd_codes_include(struct qd_codes *codes, int64_t c)
{
    if (codes->count < QD_MOST_CODES && !has(codes, c))
        codes->at[codes->count++] = c;
}

/* The codes inside the hull of all numbers of a result. Where the range wraps, those of its ends: they do not come in
 * order. */
static void add_result(struct qd_codes *codes, const struct qd_code *hull,
                       const struct qd_output_quantizer *quantizer, struct qd_enclosure result)
{
    if (result.lost)
        return;
    int64_t lo = qd_output_quantizer_float(quantizer, result.lo);
    int64_t hi = result.hi == result.lo ? lo : qd_output_quantizer_float(quantizer, result.hi);
    if (!qd_output_quantizer_is_monotone(quantizer)) {
        qd_codes_include(codes, lo);
        qd_codes_include(codes, hi);
        return;
    }
    lo = lo < hull->lo ? hull->lo : lo;
    hi = hi > hull->hi ? hull->hi : hi;
    for (int64_t c = lo; c <= hi && codes->count < QD_MOST_CODES; c++)
        qd_codes_include(codes, c);
}

/* An exact operand in the type of the steps. */
static struct qd_enclosure convert(struct qd_steps how, bool narrow, double a)
{
    const struct qd_arithmetic nearest = {.type = how.type, .nearest = true, .all = how.in.all};
    struct qd_enclosure in = qd_enclosure_of(how.in, (struct qd_interval){a, a});
    in = narrow ? qd_enclosure_of(nearest, (struct qd_interval){in.lo, in.hi}) : in;
    return qd_enclosure_keep(narrow ? nearest : how.in, QD_INTERMEDIATE, in);
}

/* The ways to compute a list's orders: each operation and the conversion of `a` rounded in
 * how.type, or not. */
static unsigned ways_of(const struct qd_orders_of *orders)
{
    return 1u << (orders->list->operations + 1);
}

static size_t results_of(const struct qd_orders_of *orders, struct qd_steps how,
                         const struct qd_operands *operands,
                         struct qd_enclosure results[QD_MOST_RESULTS])
{
    struct qd_operands with_a = *operands;
    with_a.a = convert(how, how.narrow >> orders->list->operations, orders->a);
    return orders->list->results(how, &with_a, results);
}

bool qd_codes_add(struct qd_codes *codes, const struct qd_code *hull,
                  const struct qd_output_quantizer *quantizer, const struct qd_orders_of *orders,
                  struct qd_steps how, const struct qd_operands *operands)
{
    size_t all = (size_t)(hull->hi - hull->lo) + 1;
    bool some = false;
    for (how.narrow = 0; how.narrow < ways_of(orders) && codes->count < all; how.narrow++) {
        struct qd_enclosure results[QD_MOST_RESULTS];
        size_t count = results_of(orders, how, operands, results);
        for (size_t i = 0; i < count; i++) {
            add_result(codes, hull, quantizer, results[i]);
            some = some || !results[i].lost;
        }
    }
    return some;
}

static bool admits(const struct qd_code *code, int64_t c)
{
    for (unsigned k = 0; k < code->point_count; k++)
        if (code->points[k] == c)
            return true;
    return code->point_count == 0 && code->lo <= c && c <= code->hi;
}

void qd_code_drop_ways(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                       const struct qd_orders_of *orders, struct qd_steps how,
                       const struct qd_operands *operands)
{
    for (how.narrow = 0; how.narrow < ways_of(orders); how.narrow++) {
        struct qd_enclosure given[QD_MOST_RESULTS];
        size_t count = results_of(orders, how, operands, given);
        for (size_t i = 0; i < count; i++) {
            if (given[i].lost) {
                code->not_number = true;
                continue;
            }
            int64_t c = qd_output_quantizer_float(quantizer, given[i].lo);
            if (!admits(code, c))
                qd_code_drop(code, c);
        }
    }
}

/* Whether a hull is to become the union: it has several codes, and no order was dropped. */
static bool has_union(const struct qd_code *code)
{
    return code->lo != code->hi && !(code->flags & (QD_EXTREME_SCALE | QD_UNSPECIFIED));
}

/* Every operation in double, or rounded to float32: an fma is among these. */
static const struct qd_steps float32_or_double = {{.type = QD_F64, .nearest = true}, QD_F32, 0};

void qd_code_take_union(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                        const struct qd_orders_of *lists, size_t count,
                        const struct qd_operands *operands)
{
    struct qd_codes codes = {.at = {code->want}, .count = 1};
    if (!has_union(code))
        return;
    for (size_t i = 0; i < count; i++)
        qd_codes_add(&codes, code, quantizer, &lists[i], float32_or_double, operands);
    qd_code_limit(code, codes.at, codes.count);
}

/* All codes that are admissible, as far as there is room. */
static void include_all(struct qd_codes *codes, const struct qd_code *code)
{
    for (unsigned k = 0; k < code->point_count; k++)
        qd_codes_include(codes, code->points[k]);
    for (int64_t c = code->lo;
         code->point_count == 0 && c <= code->hi && codes->count < QD_MOST_CODES; c++)
        qd_codes_include(codes, c);
}

void qd_code_join(struct qd_code *code, const struct qd_code *other)
{
    struct qd_codes codes = {.count = 0};
    bool undefined = code->flags & other->flags & QD_UNSPECIFIED;
    include_all(&codes, code);
    include_all(&codes, other);
    code->flags = (uint8_t)((code->flags | other->flags) & ~QD_UNSPECIFIED);
    code->flags |= undefined ? QD_UNSPECIFIED : 0;
    code->not_number = code->not_number || other->not_number;
    for (unsigned k = 0; k < other->dropped_count; k++)
        qd_code_drop(code, other->dropped[k]);
    qd_code_include(code, other->lo);
    qd_code_include(code, other->hi);
    code->point_count = 0;
    if (codes.count < QD_MOST_CODES)
        qd_code_limit(code, codes.at, codes.count);
}
