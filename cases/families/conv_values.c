/* SPDX-License-Identifier: Apache-2.0 */
/* The value families of quantized convolutions: which codes and scales make an implementation
 * err. Random numbers never come near a rounding edge, so edges are solved for
 * (reference/README.md, "Ties and edges"). */
#include <stdlib.h>

#include "families/conv_draft.h"

/* ---- Codes ----------------------------------------------------------------------------------- */

static int64_t near_zero_point(const struct qd_dtype_info *type, int64_t zero, struct qd_random *r)
{
    int64_t step = qd_random_range(r, -3, 3);
    bool inside = zero + step >= type->min && zero + step <= type->max;
    return inside ? zero + step : zero - step;
}

/* The codes whose products fill an int16 in pairs: 255·127 twice, 255·(−128) twice,
 * (−128)·(−128) twice. */
static int64_t at_the_ends(const struct qd_dtype_info *type, struct qd_random *r)
{
    const int64_t lower[] = {type->min, type->min, type->min, type->min, type->max, type->max - 1};
    const int64_t upper[] = {type->max, type->max, type->max, type->max - 1, type->min, 64};
    return type->min < 0 ? QD_RANDOM_PICK(r, lower) : QD_RANDOM_PICK(r, upper);
}

enum codes { NEAR_ZERO_POINT, ANY, AT_THE_ENDS };

static int64_t code(enum codes codes, enum qd_dtype dtype, int64_t zero, struct qd_random *r)
{
    const struct qd_dtype_info *type = qd_dtype_info(dtype);
    switch (codes) {
    case NEAR_ZERO_POINT: return near_zero_point(type, zero, r);
    case AT_THE_ENDS: return at_the_ends(type, r);
    default: return qd_random_range(r, type->min, type->max);
    }
}

static void draw_codes(struct qd_conv_draft *d, enum codes codes, struct qd_random *r)
{
    int64_t terms = d->w.count / d->filters;
    for (int64_t i = 0; i < d->x.count; i++)
        qd_tensor_set(&d->x, i, code(codes, d->x_type, d->x_zero, r));
    for (int64_t i = 0; i < d->w.count; i++) {
        int64_t zero = d->w_zero[d->per_channel ? i / terms : 0];
        qd_tensor_set(&d->w, i, code(codes, d->w_type, zero, r));
    }
    qd_draft_accumulate(d);
}

/* ---- Accumulators ---------------------------------------------------------------------------- */

/* Entry i of filter m's sums over all batch entries. */
static int64_t *sum(const struct qd_conv_draft *d, int64_t m, int64_t i)
{
    int64_t n = i / d->plane;
    return &d->acc[(n * d->filters + m) * d->plane + i % d->plane];
}

static int64_t sums(const struct qd_conv_draft *d)
{
    return d->batch * d->plane;
}

static int64_t largest_sum(const struct qd_conv_draft *d, int64_t m)
{
    int64_t largest = 0;
    for (int64_t i = 0; i < sums(d); i++)
        largest = llabs(*sum(d, m, i)) > largest ? llabs(*sum(d, m, i)) : largest;
    return largest;
}

static void set_bias(struct qd_conv_draft *d, int64_t m, int64_t bias)
{
    d->bias[m] = bias;
    for (int64_t i = 0; i < sums(d); i++)
        *sum(d, m, i) += bias;
}

static void draw_bias(struct qd_conv_draft *d, int64_t limit, struct qd_random *r)
{
    for (int64_t m = 0; d->has_bias && m < d->filters; m++)
        set_bias(d, m, qd_random_range(r, -limit, limit));
}

/* Some sum of the filter that is not 0; 0 if there is none. */
static int64_t some_sum(const struct qd_conv_draft *d, int64_t m, struct qd_random *r)
{
    int64_t start = qd_random_range(r, 0, sums(d) - 1);
    for (int64_t i = 0; i < sums(d); i++) {
        int64_t s = *sum(d, m, (start + i) % sums(d));
        if (s != 0)
            return s;
    }
    return 0;
}

/* The sum of the filter that is nearest to 0 without being it; 0 if there is none. */
static int64_t smallest_sum(const struct qd_conv_draft *d, int64_t m)
{
    int64_t smallest = 0;
    for (int64_t i = 0; i < sums(d); i++) {
        int64_t s = *sum(d, m, i);
        if (s != 0 && (smallest == 0 || llabs(s) < llabs(smallest)))
            smallest = s;
    }
    return smallest;
}

/* ---- Scales ---------------------------------------------------------------------------------- */

/* 2^−8 to 1 with a random mantissa. */
static struct qd_scale any_scale(struct qd_random *r)
{
    /* Two statements: the order in which arguments are evaluated differs between compilers. */
    int64_t mantissa = qd_random_range(r, 1 << 23, (1 << 24) - 1);
    int64_t exponent = -23 - qd_random_range(r, 1, 8);
    return qd_scale_make((uint32_t)mantissa, (int)exponent);
}

/* Codes between the output's zero point and the end of the range that a value of this sign runs
 * towards. */
static int64_t room(const struct qd_conv_draft *d, int64_t sign)
{
    const struct qd_dtype_info *type = qd_dtype_info(d->y_type);
    return sign > 0 ? type->max - d->y_zero : d->y_zero - type->min;
}

/* Wishes for filter m: a sum (not 0) and what it shall become, in halves (> 0). */
typedef bool wish(const struct qd_conv_draft *d, int64_t m, struct qd_random *r, int64_t *sum,
                  int64_t *halves);

/* Chooses x_scale and y_scale freely and solves w_scale for the wish, one filter or all; then
 * moves it by up to `steps` units in the last place either way. */
static bool solve_scales(struct qd_conv_draft *d, wish *wanted, int steps, struct qd_random *r)
{
    bool some = false;
    d->x_scale = any_scale(r);
    d->y_scale = any_scale(r);
    int64_t first = qd_random_range(r, 0, d->filters - 1);
    for (int64_t i = 0; i < d->filters; i++) {
        int64_t m = (first + i) % d->filters, acc, halves;
        struct qd_scale scale = any_scale(r);
        bool solved = wanted(d, m, r, &acc, &halves);
        if (solved) {
            scale = qd_scale_solve((uint64_t)llabs(acc), (uint64_t)halves, d->x_scale, d->y_scale);
            scale = qd_scale_step(scale, (int)qd_random_range(r, -steps, steps));
        }
        some = some || solved;
        d->w_scale[d->per_channel ? m : 0] = scale;
        if (!d->per_channel && solved)
            break;
    }
    return some;
}

/* ---- Families -------------------------------------------------------------------------------- */

/* The largest sum fills about the output's range, or leaves it. */
static bool wish_in_range(const struct qd_conv_draft *d, int64_t m, struct qd_random *r,
                          int64_t *acc, int64_t *halves)
{
    *acc = largest_sum(d, m);
    *halves = qd_random_range(r, 100, 500);
    return *acc != 0;
}

static bool choose_random(struct qd_conv_draft *d, struct qd_random *r)
{
    draw_codes(d, ANY, r);
    draw_bias(d, 3000, r);
    return solve_scales(d, wish_in_range, 0, r);
}

static bool choose_int16_pairs(struct qd_conv_draft *d, struct qd_random *r)
{
    draw_codes(d, AT_THE_ENDS, r);
    draw_bias(d, 30000, r);
    return solve_scales(d, wish_in_range, 0, r);
}

/* Sums beyond 2^24, which float32 cannot hold, and next to the ends of int32. */
static bool choose_large_accumulator(struct qd_conv_draft *d, struct qd_random *r)
{
    draw_codes(d, ANY, r);
    for (int64_t m = 0; m < d->filters; m++) {
        int64_t reach = INT32_MAX - largest_sum(d, m) - qd_random_range(r, 0, 9);
        int64_t bias = m % 2 ? reach : (1 << 24) + qd_random_range(r, -99, 99);
        set_bias(d, m, qd_random_next(r) % 2 ? bias : -bias);
    }
    return solve_scales(d, wish_in_range, 0, r);
}

/* k + ½ for a random k inside the range, or ½ and 3/2 for the sum nearest 0, which makes its odd
 * multiples near-ties too. */
static bool wish_near_tie(const struct qd_conv_draft *d, int64_t m, struct qd_random *r,
                          int64_t *acc, int64_t *halves)
{
    bool many = qd_random_next(r) % 2;
    *acc = many ? smallest_sum(d, m) : some_sum(d, m, r);
    int64_t k = room(d, *acc);
    *halves = 2 * qd_random_range(r, 0, many && k > 1 ? 1 : k) + 1;
    return *acc != 0;
}

static bool choose_near_tie(struct qd_conv_draft *d, struct qd_random *r)
{
    draw_codes(d, qd_random_next(r) % 2 ? ANY : NEAR_ZERO_POINT, r);
    draw_bias(d, 50, r);
    return solve_scales(d, wish_near_tie, 1, r);
}

/* The last code before saturation, the half step after it, and one step on either side. */
static bool wish_saturation(const struct qd_conv_draft *d, int64_t m, struct qd_random *r,
                            int64_t *acc, int64_t *halves)
{
    *acc = some_sum(d, m, r);
    *halves = 2 * room(d, *acc) + qd_random_range(r, -2, 2);
    *halves = *halves < 1 ? 1 : *halves;
    return *acc != 0;
}

static bool choose_saturation(struct qd_conv_draft *d, struct qd_random *r)
{
    draw_codes(d, ANY, r);
    draw_bias(d, 500, r);
    return solve_scales(d, wish_saturation, 1, r);
}

/* Whether sum·odd/2^shift lies half-way between two integers and its code is not far out of
 * range. */
static bool is_tie(const struct qd_conv_draft *d, int64_t sum, int64_t odd, int shift)
{
    int64_t scaled = sum * odd, unit = (int64_t)1 << shift;
    if (scaled == 0 || llabs(scaled) % unit != unit / 2)
        return false;
    return llabs(scaled) / unit <= room(d, scaled);
}

/* How many sums of filters [from, to) are ties. */
static int64_t count_ties(const struct qd_conv_draft *d, int64_t from, int64_t to, int64_t odd,
                          int shift)
{
    int64_t ties = 0;
    for (int64_t m = from; m < to; m++)
        for (int64_t i = 0; i < sums(d); i++)
            ties += is_tie(d, *sum(d, m, i), odd, shift);
    return ties;
}

/* The power of two that makes the most sums ties; 0 if none does. */
static int best_shift(const struct qd_conv_draft *d, int64_t from, int64_t to, int64_t odd)
{
    int64_t most = 0;
    int best = 0;
    for (int shift = 1; shift <= 16; shift++) {
        int64_t ties = count_ties(d, from, to, odd, shift);
        if (ties > most) {
            most = ties;
            best = shift;
        }
    }
    return best;
}

/* Exact ties. Scales are powers of two times 1, 3 or 5 and y_scale is a power of two, so that
 * every evaluation order is exact and one code is admissible. */
static bool choose_tie(struct qd_conv_draft *d, struct qd_random *r)
{
    static const uint32_t odds[] = {1, 1, 1, 3, 5};
    uint32_t x_odd = QD_RANDOM_PICK(r, odds), w_odd = x_odd == 1 ? QD_RANDOM_PICK(r, odds) : 1;
    int x_exponent = (int)qd_random_range(r, -9, 1), y_exponent = (int)qd_random_range(r, -7, 2);
    bool some = false;
    draw_codes(d, NEAR_ZERO_POINT, r);
    draw_bias(d, 40, r);
    d->x_scale = qd_scale_make(x_odd, x_exponent);
    d->y_scale = qd_scale_make(1, y_exponent);
    int64_t step = d->per_channel ? 1 : d->filters;
    for (int64_t m = 0; m < d->filters; m += step) {
        int shift = best_shift(d, m, m + step, x_odd * w_odd);
        some = some || shift > 0;
        d->w_scale[m] = qd_scale_make(w_odd, y_exponent - x_exponent - (shift > 0 ? shift : 1));
    }
    return some;
}

/* Products and quotients of scales that leave float32's normal range on the way, or whose scales
 * do. */
static bool choose_extreme_scale(struct qd_conv_draft *d, struct qd_random *r)
{
    /* Exponents of x_scale and y_scale; w_scale is solved for (or 1, when the result is all zero
     * or all saturated). */
    static const struct {
        int x, y;
        bool solve;
    } rows[] = {
        {-140, -140, true}, {-126, -120, true}, {-149, -149, true}, {100, 100, true},
        {127, 127, true},   {120, 0, true},     {-110, 0, true},    {0, -149, true},
        {-60, 50, true},    {0, 100, false},    {100, 0, false},
    };
    size_t row = (size_t)qd_random_range(r, 0, (int64_t)(sizeof rows / sizeof *rows) - 1);
    uint32_t mantissa = qd_random_next(r) % 2 ? 1 << 23 : 0xc00000;
    draw_codes(d, ANY, r);
    draw_bias(d, 3000, r);
    d->x_scale = qd_scale_make(mantissa, rows[row].x - 23);
    d->y_scale = qd_scale_make(1 << 23, rows[row].y - 23);
    for (int64_t m = 0; m < d->filters; m++) {
        int64_t acc, halves;
        bool wished = wish_in_range(d, m, r, &acc, &halves);
        d->w_scale[m] = wished && rows[row].solve ? qd_scale_solve((uint64_t)acc, (uint64_t)halves,
                                                                   d->x_scale, d->y_scale)
                                                  : qd_scale_make(1, 0);
    }
    return true;
}

const struct qd_conv_values qd_conv_values[QD_CONV_VALUES] = {
    [QD_CONV_RANDOM] = {"random", false, choose_random},
    [QD_CONV_TIE] = {"tie", false, choose_tie},
    [QD_CONV_NEAR_TIE] = {"near-tie", false, choose_near_tie},
    [QD_CONV_SATURATION] = {"saturation", false, choose_saturation},
    [QD_CONV_INT16_PAIRS] = {"int16-pairs", false, choose_int16_pairs},
    [QD_CONV_LARGE_ACCUMULATOR] = {"large-accumulator", true, choose_large_accumulator},
    [QD_CONV_EXTREME_SCALE] = {"extreme-scale", false, choose_extreme_scale},
};
