/* SPDX-License-Identifier: Apache-2.0 */
/* The twin's admissible codes of one requantized product: every permitted order, spelled out.
 *
 * real = acc·s1·s2/sy, each operation one rounding, in float32 or in the type of the scales. A
 * commutative product of the leaves fl(acc), s1, s2 and one division by sy has 15 bracketings.
 * Permitted are the six that a kernel forms in one of two ways (reverse Polish notation, x
 * multiplies, : divides):
 *
 *   a factor m = s1·s2/sy in any association, then fl(acc)·m
 *     a12xy:x   fl(acc)·((s1·s2)/sy)
 *     a12y:xx   fl(acc)·(s1·(s2/sy))
 *     a1y:2xx   fl(acc)·((s1/sy)·s2)
 *   dequantize, the product of three in any association, then quantize (divide by sy)
 *     a1x2xy:   ((fl(acc)·s1)·s2)/sy
 *     a2x1xy:   ((fl(acc)·s2)·s1)/sy
 *     a12xxy:   (fl(acc)·(s1·s2))/sy
 *
 * Not permitted are the other nine, which divide the accumulator or a half-dequantized accumulator
 * by sy:
 *     ay:1x2x  ay:2x1x  ay:12xx  1y:ax2x  1y:a2xx  2y:ax1x  2y:a1xx  a1xy:2x  a2xy:1x */
#include <assert.h>
#include <string.h>

#include "twin/twin.h"

static const char *const orders[TWIN_ORDERS] = {
    "a12xy:x", "a12y:xx", "a1y:2xx", "a1x2xy:", "a2x1xy:", "a12xxy:",
};

#define STACK 4

struct interval {
    mpq_t lo, hi;
};

struct machine {
    struct interval stack[STACK];
    unsigned depth;
    enum qd_dtype dtype;
    bool nearest; /* round to nearest instead of outward */
    enum qd_dtype narrow_type;
    unsigned
        narrow; /* a bit for each operation to come: it is rounded to nearest in narrow_type as well */
};

const char *twin_order_text(unsigned order)
{
    assert(order < TWIN_ORDERS);
    return orders[order];
}

static void machine_init(struct machine *machine, enum qd_dtype dtype, bool nearest)
{
    machine->depth = 0;
    machine->dtype = dtype;
    machine->nearest = nearest;
    machine->narrow = 0;
    for (unsigned i = 0; i < STACK; i++)
        mpq_inits(machine->stack[i].lo, machine->stack[i].hi, NULL);
}

static void machine_clear(struct machine *machine)
{
    for (unsigned i = 0; i < STACK; i++)
        mpq_clears(machine->stack[i].lo, machine->stack[i].hi, NULL);
}

/* Rounds both ends in a type; the worse of the two sizes. */
static enum twin_size round_ends(enum qd_dtype dtype, bool nearest, struct interval *x)
{
    enum twin_size lo = twin_round(dtype, nearest ? TWIN_NEAREST : TWIN_DOWN, x->lo, x->lo);
    enum twin_size hi = twin_round(dtype, nearest ? TWIN_NEAREST : TWIN_UP, x->hi, x->hi);
    return lo != TWIN_ORDINARY ? lo : hi;
}

/* Rounds what an operation gave. */
static enum twin_size round_interval(struct machine *machine, struct interval *x)
{
    enum twin_size size = round_ends(machine->dtype, machine->nearest, x);
    bool narrow = machine->narrow & 1;
    machine->narrow >>= 1;
    return narrow && size == TWIN_ORDINARY ? round_ends(machine->narrow_type, true, x) : size;
}

static void push(struct machine *machine, const mpq_t value)
{
    assert(machine->depth < STACK);
    mpq_set(machine->stack[machine->depth].lo, value);
    mpq_set(machine->stack[machine->depth].hi, value);
    machine->depth++;
}

static void corner(mpq_t out, const mpq_t a, const mpq_t b, char operation)
{
    if (operation == 'x')
        mpq_mul(out, a, b);
    else
        mpq_div(out, a, b);
}

/* Pops b, then a; pushes a∘b: the least and the greatest of the four corners, rounded. */
static enum twin_size apply(struct machine *machine, char operation)
{
    assert(machine->depth >= 2);
    struct interval *a = &machine->stack[machine->depth - 2],
                    *b = &machine->stack[machine->depth - 1];
    assert(operation == 'x' || mpq_equal(b->lo, b->hi)); /* only sy divides, and it is a point */
    mpq_t corners[4];
    for (unsigned i = 0; i < 4; i++) {
        mpq_init(corners[i]);
        corner(corners[i], i & 1 ? a->hi : a->lo, i & 2 ? b->hi : b->lo, operation);
    }
    mpq_set(a->lo, corners[0]);
    mpq_set(a->hi, corners[0]);
    for (unsigned i = 1; i < 4; i++) {
        if (mpq_cmp(corners[i], a->lo) < 0)
            mpq_set(a->lo, corners[i]);
        if (mpq_cmp(corners[i], a->hi) > 0)
            mpq_set(a->hi, corners[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        mpq_clear(corners[i]);
    machine->depth--;
    return round_interval(machine, a);
}

/* Runs one order; the result is stack[0]. False if an intermediate is huge or tiny, or the last
 * value huge. A tiny last value is rounded to an integer at once: zero, flushed or not. */
static bool run(struct machine *machine, const char *order, int64_t acc, const mpq_t s1,
                const mpq_t s2, const mpq_t sy)
{
    mpq_t integer;
    mpq_init(integer);
    mpq_set_si(integer, acc, 1);
    bool ordinary = true;
    for (const char *step = order; *step && ordinary; step++) {
        enum twin_size size = TWIN_ORDINARY;
        if (*step == 'a') {
            push(machine, integer);
            size = round_interval(machine, &machine->stack[machine->depth - 1]);
        } else if (*step == 'x' || *step == ':') {
            size = apply(machine, *step);
        } else {
            push(machine, *step == '1' ? s1 : *step == '2' ? s2 : sy);
        }
        ordinary = size == TWIN_ORDINARY || (size == TWIN_TINY && step[1] == '\0');
    }
    assert(!ordinary || machine->depth == 1);
    mpq_clear(integer);
    return ordinary;
}

/* Widens [*lo, *hi] by the codes of one order, computed in a float type. */
static bool widen(const char *order, enum qd_dtype float_type, int64_t acc, const mpq_t s1,
                  const mpq_t s2, const mpq_t sy, enum qd_dtype dtype, int64_t zero_point,
                  int64_t *lo, int64_t *hi)
{
    struct machine machine;
    machine_init(&machine, float_type, false);
    bool ordinary = run(&machine, order, acc, s1, s2, sy);
    if (ordinary) {
        int64_t least = twin_code(dtype, machine.stack[0].lo, zero_point);
        int64_t greatest = twin_code(dtype, machine.stack[0].hi, zero_point);
        *lo = least < *lo ? least : *lo;
        *hi = greatest > *hi ? greatest : *hi;
    }
    machine_clear(&machine);
    return ordinary;
}

void twin_add_code(struct twin_element *element, int64_t code)
{
    for (unsigned i = 0; i < element->code_count; i++)
        if (element->codes[i] == code)
            return;
    assert(element->code_count < TWIN_MAX_CODES);
    element->codes[element->code_count++] = code;
    if (element->code_count == 1 || mpq_cmp_si(element->lo.q, code, 1) > 0)
        mpq_set_si(element->lo.q, code, 1);
    if (element->code_count == 1 || mpq_cmp_si(element->hi.q, code, 1) < 0)
        mpq_set_si(element->hi.q, code, 1);
}

/* The codes, in [lo, hi], of one order whose operations each round in float32 or in the scales' type as well. */
static void add_narrow(const char *order, enum qd_dtype scale_type, int64_t acc, const mpq_t s1,
                       const mpq_t s2, const mpq_t sy, enum qd_dtype dtype, int64_t zero_point,
                       int64_t lo, int64_t hi, struct twin_element *out)
{
    enum { OPERATIONS = 4 };
    for (unsigned narrow = 0; narrow < 1 << OPERATIONS; narrow++) {
        struct machine machine;
        machine_init(&machine, QD_F32, false);
        machine.narrow_type = scale_type;
        machine.narrow = narrow;
        bool ordinary = run(&machine, order, acc, s1, s2, sy);
        for (unsigned end = 0; end < 2 && ordinary; end++) {
            const struct interval *result = &machine.stack[0];
            int64_t code = twin_code(dtype, end == 0 ? result->lo : result->hi, zero_point);
            if (code >= lo && code <= hi)
                twin_add_code(out, code);
        }
        machine_clear(&machine);
    }
}

static int64_t canonical(int64_t acc, const mpq_t s1, const mpq_t s2, const mpq_t sy,
                         enum qd_dtype dtype, int64_t zero_point)
{
    mpq_t real;
    mpq_init(real);
    mpq_set_si(real, acc, 1);
    mpq_mul(real, real, s1);
    mpq_mul(real, real, s2);
    mpq_div(real, real, sy);
    int64_t code = twin_code(dtype, real, zero_point);
    mpq_clear(real);
    return code;
}

void twin_requantize(int64_t acc, const struct twin_number *s1, const struct twin_number *s2,
                     const struct twin_number *sy, enum qd_dtype scale_type, enum qd_dtype dtype,
                     int64_t zero_point, struct twin_element *out)
{
    out->unspecified = s1->kind != TWIN_FINITE || s2->kind != TWIN_FINITE ||
                       sy->kind != TWIN_FINITE || mpq_sgn(sy->q) == 0 || acc < INT32_MIN ||
                       acc > INT32_MAX;
    if (out->unspecified)
        return;
    int64_t want = canonical(acc, s1->q, s2->q, sy->q, dtype, zero_point);
    int64_t lo = want, hi = want;
    const enum qd_dtype types[] = {QD_F32, scale_type};
    unsigned kept = 0, tried = 0;
    for (unsigned t = 0; t < (scale_type == QD_F32 ? 1 : 2); t++)
        for (unsigned order = 0; order < TWIN_ORDERS; order++, tried++)
            kept += widen(orders[order], types[t], acc, s1->q, s2->q, sy->q, dtype, zero_point, &lo,
                          &hi);
    out->extreme = kept < tried;
    out->unspecified = kept == 0;
    int64_t least = want, greatest = want;
    for (unsigned order = 0; out->extreme && order < TWIN_ORDERS; order++)
        widen(orders[order], QD_F64, acc, s1->q, s2->q, sy->q, dtype, zero_point, &least,
              &greatest);
    lo = least < lo ? least : lo;
    hi = greatest > hi ? greatest : hi;
    out->want.kind = out->lo.kind = out->hi.kind = TWIN_FINITE;
    mpq_set_si(out->want.q, want, 1);
    mpq_set_si(out->lo.q, lo, 1);
    mpq_set_si(out->hi.q, hi, 1);
    out->code_count = 0;
    if (scale_type == QD_F32 || lo == hi)
        return;
    twin_add_code(out, want);
    twin_add_code(out, least);
    twin_add_code(out, greatest);
    for (unsigned order = 0; order < TWIN_ORDERS; order++)
        add_narrow(orders[order], scale_type, acc, s1->q, s2->q, sy->q, dtype, zero_point, lo, hi,
                   out);
}

bool twin_requantize_nearest(unsigned order, enum qd_dtype float_type, int64_t acc, const mpq_t s1,
                             const mpq_t s2, const mpq_t sy, enum qd_dtype dtype,
                             int64_t zero_point, int64_t *code)
{
    struct machine machine;
    machine_init(&machine, float_type, true);
    bool ordinary = run(&machine, twin_order_text(order), acc, s1, s2, sy);
    if (ordinary)
        *code = twin_code(dtype, machine.stack[0].lo, zero_point);
    machine_clear(&machine);
    return ordinary;
}
