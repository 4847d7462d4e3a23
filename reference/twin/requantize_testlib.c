/* SPDX-License-Identifier: Apache-2.0 */
/* The twin's admissible codes of what integers and scales give: every permitted order, spelled out
 * in reverse Polish notation.
 *
 *   a     the accumulator (of QLinearMul the product of the codes, of a mean their sum), to float
 *   b, c  two codes, to float
 *   1, 2  the scales of what is multiplied;  y  the output's
 *   n     how many are averaged;  i  one;  f  a float32 sum of dequantized codes, by its two ends
 *   x multiplies, : divides, + adds; these and a, b, c round
 *
 * A commutative product of a, 1, 2 and one division by y has 15 bracketings. Permitted are the six
 * that a kernel forms in one of two ways: a factor s1·s2/sy in any association, by which it
 * multiplies; or the product of three in any association, which it divides. Not permitted are the
 * other nine, which divide the accumulator or a half-dequantized accumulator by sy:
 *     ay:1x2x  ay:2x1x  ay:12xx  1y:ax2x  1y:a2xx  2y:ax1x  2y:a1xx  a1xy:2x  a2xy:1x */
#include <assert.h>
#include <string.h>

#include "twin/twin.h"

#define SIX_ORDERS "a12xy:x", "a12y:xx", "a1y:2xx", "a1x2xy:", "a2x1xy:", "a12xxy:"

/* The first of each without a rounding is the canonical number. */
static const char *const orders[TWIN_FORMULAS][TWIN_MAX_ORDERS] = {
    [TWIN_PRODUCT] = {SIX_ORDERS},
    [TWIN_PRODUCT_OF_CODES] = {SIX_ORDERS, "b1xc2xxy:"},
    [TWIN_RESCALED] = {"a1xy:", "a1y:x"},
    [TWIN_SUM] = {"b1xc2x+y:", "b1y:xc2y:x+"},
    [TWIN_MEAN] = {"a1y:n:x", "a1y:in:xx", "a1n:y:x", "a1in:xy:x", "a1xynx:", "a1ynx:x", "a1xn:y:",
                   "a1xin:xy:", "a1xy:n:", "a1xy:in:x", "an:1xy:", "an:1y:x", "fn:y:", "fin:xy:"},
};

#define STACK 4

struct interval {
    mpq_t lo, hi;
    enum twin_kind kind; /* of what IEEE 754 gives; else finite */
};

enum rounding { EXACT, OUTWARD, NEAREST };

struct machine {
    struct interval stack[STACK];
    unsigned depth;
    enum rounding rounding;
    bool ieee; /* with NEAREST: an overflow is an infinity, a subnormal number one like others */
    enum qd_dtype dtype;
    enum qd_dtype narrow_type;
    unsigned narrow;  /* a bit for each choice to come: round to nearest in narrow_type as well */
    unsigned choices; /* made so far: operations whose result narrow_type rounds */
};

const char *twin_order_of(enum twin_formula formula, unsigned order)
{
    return order < TWIN_MAX_ORDERS ? orders[formula][order] : NULL;
}

const char *twin_order_text(unsigned order)
{
    assert(order < TWIN_ORDERS);
    return orders[TWIN_PRODUCT][order];
}

static void machine_init(struct machine *machine, enum qd_dtype dtype, enum rounding rounding)
{
    *machine = (struct machine){.rounding = rounding, .dtype = dtype, .narrow_type = dtype};
    for (unsigned i = 0; i < STACK; i++)
        mpq_inits(machine->stack[i].lo, machine->stack[i].hi, NULL);
}

static void machine_clear(struct machine *machine)
{
    for (unsigned i = 0; i < STACK; i++)
        mpq_clears(machine->stack[i].lo, machine->stack[i].hi, NULL);
}

/* Rounds a number, its two ends being one, as IEEE 754 has it. */
static enum twin_size round_ieee(enum qd_dtype dtype, struct interval *x)
{
    if (x->kind == TWIN_FINITE && twin_round(dtype, TWIN_NEAREST, x->lo, x->lo) == TWIN_HUGE)
        x->kind = mpq_sgn(x->lo) > 0 ? TWIN_PLUS_INF : TWIN_MINUS_INF;
    mpq_set(x->hi, x->lo);
    return TWIN_ORDINARY;
}

/* Rounds both ends in a type; the worse of the two sizes. */
static enum twin_size round_ends(enum qd_dtype dtype, bool nearest, struct interval *x)
{
    enum twin_size lo = twin_round(dtype, nearest ? TWIN_NEAREST : TWIN_DOWN, x->lo, x->lo);
    enum twin_size hi = twin_round(dtype, nearest ? TWIN_NEAREST : TWIN_UP, x->hi, x->hi);
    return lo != TWIN_ORDINARY ? lo : hi;
}

/* Chooses whether x, rounded, is rounded in narrow_type too; no choice where that changes
 * nothing. */
static enum twin_size choose(struct machine *machine, struct interval *x)
{
    struct interval narrow = {.kind = x->kind};
    mpq_inits(narrow.lo, narrow.hi, NULL);
    mpq_set(narrow.lo, x->lo);
    mpq_set(narrow.hi, x->hi);
    enum twin_size size = machine->ieee ? round_ieee(machine->narrow_type, &narrow)
                                        : round_ends(machine->narrow_type, true, &narrow);
    bool differs =
        narrow.kind != x->kind || !mpq_equal(narrow.lo, x->lo) || !mpq_equal(narrow.hi, x->hi);
    bool taken = differs && machine->narrow >> machine->choices & 1;
    machine->choices += differs;
    if (taken) {
        x->kind = narrow.kind;
        mpq_swap(narrow.lo, x->lo);
        mpq_swap(narrow.hi, x->hi);
    }
    mpq_clears(narrow.lo, narrow.hi, NULL);
    return taken ? size : TWIN_ORDINARY;
}

/* Rounds what an operation gave. */
static enum twin_size round_interval(struct machine *machine, struct interval *x)
{
    if (machine->rounding == EXACT)
        return TWIN_ORDINARY;
    enum twin_size size = machine->ieee
                              ? round_ieee(machine->dtype, x)
                              : round_ends(machine->dtype, machine->rounding == NEAREST, x);
    bool narrows = machine->narrow_type != machine->dtype && size == TWIN_ORDINARY;
    return narrows ? choose(machine, x) : size;
}

static enum twin_size push_integer(struct machine *machine, int64_t value)
{
    assert(machine->depth < STACK);
    struct interval *top = &machine->stack[machine->depth++];
    top->kind = TWIN_FINITE;
    mpq_set_si(top->lo, value, 1);
    mpq_set_si(top->hi, value, 1);
    return round_interval(machine, top);
}

static void push(struct machine *machine, double lo, double hi)
{
    assert(machine->depth < STACK);
    mpq_set_d(machine->stack[machine->depth].lo, lo);
    mpq_set_d(machine->stack[machine->depth].hi, hi);
    machine->stack[machine->depth].kind = TWIN_FINITE;
    machine->depth++;
}

/* What a letter stands for. */
static enum twin_size push_term(struct machine *machine, const struct twin_terms *terms,
                                char letter)
{
    switch (letter) {
    case 'a': return push_integer(machine, terms->a);
    case 'b': return push_integer(machine, terms->b);
    case 'c': return push_integer(machine, terms->c);
    case '1': push(machine, terms->s1, terms->s1); break;
    case '2': push(machine, terms->s2, terms->s2); break;
    case 'y': push(machine, terms->sy, terms->sy); break;
    case 'n': push(machine, (double)terms->n, (double)terms->n); break;
    case 'i': push(machine, 1, 1); break;
    default: assert(letter == 'f'); push(machine, terms->f_lo, terms->f_hi);
    }
    return TWIN_ORDINARY;
}

static void corner(mpq_t out, const mpq_t a, const mpq_t b, char operation)
{
    if (operation == 'x')
        mpq_mul(out, a, b);
    else if (operation == '+')
        mpq_add(out, a, b);
    else
        mpq_div(out, a, b);
}

static int sign_of(const struct interval *x)
{
    return x->kind == TWIN_PLUS_INF ? 1 : x->kind == TWIN_MINUS_INF ? -1 : mpq_sgn(x->lo);
}

/* One of two is infinite or NaN, and b no zero if it divides. NaN: of NaN, infinity times 0 or divided by infinity,
 * infinities of both signs added. A number divided by infinity is 0. */
static void apply_infinite(struct interval *a, const struct interval *b, char operation)
{
    bool finite = a->kind == TWIN_FINITE;
    int sign = operation != '+' ? sign_of(a) * sign_of(b) : finite ? sign_of(b) : sign_of(a);
    bool nan = a->kind == TWIN_NAN || b->kind == TWIN_NAN;
    if (operation == '+')
        nan = nan || (!finite && b->kind != TWIN_FINITE && sign_of(a) != sign_of(b));
    else
        nan = nan || (operation == ':' ? !finite && b->kind != TWIN_FINITE : sign == 0);
    if (nan || operation != ':' || !finite) {
        a->kind = nan ? TWIN_NAN : sign > 0 ? TWIN_PLUS_INF : TWIN_MINUS_INF;
        return;
    }
    mpq_set_si(a->lo, 0, 1);
    mpq_set_si(a->hi, 0, 1);
}

/* Pops b, then a; pushes a∘b: the least and the greatest of the four corners, rounded. */
static enum twin_size apply(struct machine *machine, char operation)
{
    assert(machine->depth >= 2);
    struct interval *a = &machine->stack[machine->depth - 2],
                    *b = &machine->stack[machine->depth - 1];
    assert(operation != ':' || mpq_sgn(b->lo) * mpq_sgn(b->hi) > 0);
    if (a->kind != TWIN_FINITE || b->kind != TWIN_FINITE) {
        apply_infinite(a, b, operation);
        machine->depth--;
        return TWIN_ORDINARY;
    }
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
static bool run(struct machine *machine, const char *order, const struct twin_terms *terms)
{
    bool ordinary = true;
    machine->depth = machine->choices = 0;
    for (const char *step = order; *step && ordinary; step++) {
        enum twin_size size =
            strchr("x:+", *step) ? apply(machine, *step) : push_term(machine, terms, *step);
        ordinary = size == TWIN_ORDINARY || (size == TWIN_TINY && step[1] == '\0');
    }
    assert(!ordinary || machine->depth == 1);
    return ordinary;
}

/* Where the codes of one element go. */
struct codes {
    enum qd_dtype dtype;
    int64_t zero_point, lo, hi; /* the hull */
};

/* Widens the hull by the codes of one order, computed in a float type. */
static bool widen(const char *order, enum qd_dtype float_type, const struct twin_terms *terms,
                  struct codes *codes)
{
    struct machine machine;
    machine_init(&machine, float_type, OUTWARD);
    bool ordinary = run(&machine, order, terms);
    if (ordinary) {
        int64_t least = twin_code(codes->dtype, machine.stack[0].lo, codes->zero_point);
        int64_t greatest = twin_code(codes->dtype, machine.stack[0].hi, codes->zero_point);
        codes->lo = least < codes->lo ? least : codes->lo;
        codes->hi = greatest > codes->hi ? greatest : codes->hi;
    }
    machine_clear(&machine);
    return ordinary;
}

/* Widens the hull by every order of a formula; how many of them neither over- nor underflow. */
static unsigned widen_all(enum twin_formula formula, enum qd_dtype float_type,
                          const struct twin_terms *terms, struct codes *codes, unsigned *tried)
{
    unsigned kept = 0, order = 0;
    for (; twin_order_of(formula, order); order++)
        kept += widen(twin_order_of(formula, order), float_type, terms, codes);
    *tried += order;
    return kept;
}

void twin_add_code(struct twin_element *element, int64_t code)
{
    for (unsigned i = 0; i < element->code_count && i < TWIN_MAX_CODES; i++)
        if (element->codes[i] == code)
            return;
    if (element->code_count < TWIN_MAX_CODES)
        element->codes[element->code_count] = code;
    if (element->code_count <= TWIN_MAX_CODES)
        element->code_count++;
    if (element->code_count == 1 || mpq_cmp_si(element->lo.q, code, 1) > 0)
        mpq_set_si(element->lo.q, code, 1);
    if (element->code_count == 1 || mpq_cmp_si(element->hi.q, code, 1) < 0)
        mpq_set_si(element->hi.q, code, 1);
}

/* The next of all ways to choose, `choices` having been made this time: the last that was not to
 * round in the narrow type now is, and those after it are open again. False after the last way. */
static bool next_way(unsigned *narrow, unsigned choices)
{
    while (choices > 0 && *narrow >> (choices - 1) & 1)
        *narrow &= ~(1U << --choices);
    if (choices > 0)
        *narrow |= 1U << (choices - 1);
    return choices > 0;
}

/* The codes, in the range given, of one order whose operations each round in the machine's type or
 * in narrow_type as well; whether any of these neither over- nor underflows. */
static bool add_ways(struct machine *machine, const char *order, const struct twin_terms *terms,
                     const struct codes *codes, struct twin_element *out)
{
    bool some = false;
    machine->narrow = 0;
    do {
        if (!run(machine, order, terms))
            continue;
        some = true;
        int64_t first = twin_code(codes->dtype, machine->stack[0].lo, codes->zero_point);
        int64_t last = twin_code(codes->dtype, machine->stack[0].hi, codes->zero_point);
        for (int64_t code = first < codes->lo ? codes->lo : first;
             code <= last && code <= codes->hi; code++)
            twin_add_code(out, code);
    } while (next_way(&machine->narrow, machine->choices) &&
             out->code_count < codes->hi - codes->lo + 1);
    return some;
}

/* The same of every order of a formula. Float32 scales: each operation rounds to nearest in double,
 * or then in float32 as well. 16-bit scales: outward in float32, or then to nearest in the scales'
 * type as well. */
static bool add_orders(enum twin_formula formula, const struct twin_terms *terms,
                       enum qd_dtype scale_type, const struct codes *codes,
                       struct twin_element *out)
{
    struct machine machine;
    bool wide = scale_type == QD_F32, some = false;
    machine_init(&machine, wide ? QD_F64 : QD_F32, wide ? NEAREST : OUTWARD);
    machine.narrow_type = scale_type;
    for (unsigned order = 0; twin_order_of(formula, order); order++)
        if (out->code_count < codes->hi - codes->lo + 1)
            some = add_ways(&machine, twin_order_of(formula, order), terms, codes, out) || some;
    machine_clear(&machine);
    return some;
}

/* Whether codes of a hull are left out. */
static bool is_narrowed(const struct codes *hull, const struct twin_element *element)
{
    return element->code_count < hull->hi - hull->lo + 1 &&
           (element->code_count <= TWIN_MAX_CODES || mpq_cmp_si(element->lo.q, hull->lo, 1) != 0 ||
            mpq_cmp_si(element->hi.q, hull->hi, 1) != 0);
}

static void drop(struct twin_element *element, int64_t code)
{
    for (unsigned i = 0; i < element->dropped_count; i++)
        if (element->dropped[i] == code)
            return;
    assert(element->dropped_count < TWIN_MAX_DROPPED);
    element->dropped[element->dropped_count++] = code;
}

/* What every order gives, of 16-bit scales in every mixture of float32 and their type, with the
 * infinities and subnormal numbers of IEEE 754, and is not admissible. No sentence says what NaN becomes. */
static void drop_orders(enum twin_formula formula, const struct twin_terms *terms,
                        enum qd_dtype scale_type, const struct codes *codes,
                        struct twin_element *out)
{
    struct machine machine;
    machine_init(&machine, QD_F32, NEAREST);
    machine.ieee = true;
    machine.narrow_type = scale_type;
    for (unsigned order = 0; twin_order_of(formula, order); order++) {
        machine.narrow = 0;
        do {
            run(&machine, twin_order_of(formula, order), terms);
            const struct interval *real = &machine.stack[0];
            int64_t code = real->kind == TWIN_PLUS_INF ? twin_code_max(codes->dtype)
                           : real->kind == TWIN_MINUS_INF
                               ? twin_code_min(codes->dtype)
                               : twin_code(codes->dtype, real->lo, codes->zero_point);
            if (real->kind == TWIN_NAN)
                out->unspecified = true;
            else if (!twin_element_admits(out, code))
                drop(out, code);
        } while (next_way(&machine.narrow, machine.choices));
    }
    machine_clear(&machine);
}

static int64_t canonical(enum twin_formula formula, const struct twin_terms *terms,
                         const struct codes *codes)
{
    struct machine machine;
    machine_init(&machine, QD_F64, EXACT);
    run(&machine, orders[formula][0], terms);
    int64_t code = twin_code(codes->dtype, machine.stack[0].lo, codes->zero_point);
    machine_clear(&machine);
    return code;
}

void twin_admit(enum twin_formula formula, const struct twin_terms *terms, enum qd_dtype scale_type,
                enum qd_dtype dtype, int64_t zero_point, struct twin_element *out)
{
    struct codes codes = {.dtype = dtype, .zero_point = zero_point};
    int64_t want = canonical(formula, terms, &codes);
    codes.lo = codes.hi = want;
    struct codes wide = codes;
    unsigned tried = 0, unused = 0;
    unsigned kept = widen_all(formula, QD_F32, terms, &codes, &tried);
    if (scale_type != QD_F32)
        kept += widen_all(formula, scale_type, terms, &codes, &tried);
    out->extreme = kept < tried;
    out->unspecified = kept == 0;
    if (out->extreme)
        widen_all(formula, QD_F64, terms, &wide, &unused);
    codes.lo = wide.lo < codes.lo ? wide.lo : codes.lo;
    codes.hi = wide.hi > codes.hi ? wide.hi : codes.hi;
    out->want.kind = out->lo.kind = out->hi.kind = TWIN_FINITE;
    mpq_set_si(out->want.q, want, 1);
    mpq_set_si(out->lo.q, codes.lo, 1);
    mpq_set_si(out->hi.q, codes.hi, 1);
    out->code_count = out->dropped_count = 0;
    out->narrowed = false;
    out->dropped_known = formula != TWIN_MEAN || terms->f_lo == terms->f_hi;
    /* An order that is lost in float32 and in the scales' type need not be in a mixture: any
     * code. */
    bool mixed = scale_type != QD_F32 && out->extreme;
    if (!mixed && out->extreme) {
        drop_orders(formula, terms, scale_type, &codes, out);
        return;
    }
    if (!mixed && codes.lo == codes.hi)
        return;
    const struct codes any = {dtype, zero_point, twin_code_min(dtype), twin_code_max(dtype)};
    twin_add_code(out, want);
    twin_add_code(out, wide.lo);
    twin_add_code(out, wide.hi);
    bool some = add_orders(formula, terms, scale_type, mixed ? &any : &codes, out);
    out->unspecified = out->unspecified && !some;
    out->narrowed = is_narrowed(&codes, out);
    if (out->code_count > TWIN_MAX_CODES)
        out->code_count = 0; /* their hull */
    if (mixed)
        drop_orders(formula, terms, scale_type, &codes, out);
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
    struct twin_terms terms = {
        .a = acc, .s1 = mpq_get_d(s1->q), .s2 = mpq_get_d(s2->q), .sy = mpq_get_d(sy->q)};
    twin_admit(TWIN_PRODUCT, &terms, scale_type, dtype, zero_point, out);
}

bool twin_requantize_nearest(unsigned order, enum qd_dtype float_type, int64_t acc, const mpq_t s1,
                             const mpq_t s2, const mpq_t sy, enum qd_dtype dtype,
                             int64_t zero_point, int64_t *code)
{
    struct twin_terms terms = {
        .a = acc, .s1 = mpq_get_d(s1), .s2 = mpq_get_d(s2), .sy = mpq_get_d(sy)};
    struct machine machine;
    machine_init(&machine, float_type, NEAREST);
    bool ordinary = run(&machine, twin_order_text(order), &terms);
    if (ordinary)
        *code = twin_code(dtype, machine.stack[0].lo, zero_point);
    machine_clear(&machine);
    return ordinary;
}
