/* SPDX-License-Identifier: Apache-2.0 */
#include "quantize/orders.h"

static const struct qd_steps f32 = {.in = {.type = QD_F32}},
                             ieee = {.in = {.type = QD_F32, .nearest = true, .all = true}};
static const struct qd_enclosure one = {1, 1, false};

bool qd_scale_is_moderate(double scale)
{
    double a = fabs(scale);
    return a >= 0x1p-20 && a <= 0x1p20;
}

/* What an operation gave, rounded as its step says. */
static struct qd_enclosure step(struct qd_steps *left, enum qd_stage stage, struct qd_enclosure x)
{
    const struct qd_arithmetic nearest = {.type = left->type, .nearest = true, .all = left->in.all};
    bool narrow = left->narrow & 1;
    left->narrow >>= 1;
    if (!narrow || x.lost)
        return x;
    struct qd_enclosure y = qd_enclosure_keep(
        nearest, stage, qd_enclosure_of(nearest, (struct qd_interval){x.lo, x.hi}));
    bool vanished = y.lo == 0 && y.hi == 0 && (x.lo != 0 || x.hi != 0);
    y.lost = y.lost || (vanished && stage == QD_INTERMEDIATE && !left->in.all);
    return y;
}

#define in_steps(stage, operation) step(&how, stage, operation)
#define times(x, y) in_steps(QD_INTERMEDIATE, qd_enclosure_multiply(how.in, QD_INTERMEDIATE, x, y))
#define over(x, y) in_steps(QD_INTERMEDIATE, qd_enclosure_divide(how.in, QD_INTERMEDIATE, x, y))
#define plus(x, y) in_steps(QD_LAST, qd_enclosure_add(how.in, x, y))

#define last_times(x, y) in_steps(QD_LAST, qd_enclosure_multiply(how.in, QD_LAST, x, y))
#define last_over(x, y) in_steps(QD_LAST, qd_enclosure_divide(how.in, QD_LAST, x, y))
#define last_plus(x, y) plus(x, y)

/* What the lists are made into: factors, and results of whole orders. */
#define FORM(m) factors[count++] = m;
#define FINISH(m)                                   \
    results[count] = last_times(a, factors[count]); \
    count++;
#define EVALUATE(operation, x, y) \
    how.narrow = narrow;          \
    results[count++] = last_##operation(x, y);
#define MULTIPLY(m) EVALUATE(times, a, m)
#define NONE(...)
#define ends(d) either[i] /* list_mean forms it */

void qd_orders_form(struct qd_arithmetic in, const struct qd_operands *operands,
                    struct qd_enclosure factors[QD_FACTORS])
{
    const struct qd_enclosure s = operands->s, t = operands->t, y = operands->y;
    struct qd_steps how = {.in = in};
    size_t count = 0;
    QD_ORDERS_REQUANTIZE(FORM, NONE)
}

size_t qd_orders_requantize(struct qd_arithmetic in, struct qd_enclosure a,
                            const struct qd_operands *operands,
                            const struct qd_enclosure factors[QD_FACTORS],
                            struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure s = operands->s, t = operands->t, y = operands->y;
    struct qd_steps how = {.in = in};
    const unsigned narrow = 0;
    size_t count = 0;
    QD_ORDERS_REQUANTIZE(FINISH, EVALUATE)
    return count;
}

static size_t list_product(struct qd_steps how, const struct qd_operands *operands,
                           struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, s = operands->s, t = operands->t, y = operands->y;
    const unsigned narrow = how.narrow;
    size_t count = 0;
    QD_ORDERS_REQUANTIZE(MULTIPLY, EVALUATE)
    return count;
}

static size_t list_rescale(struct qd_steps how, const struct qd_operands *operands,
                           struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, s = operands->s, y = operands->y;
    const unsigned narrow = how.narrow;
    size_t count = 0;
    QD_ORDERS_RESCALE(EVALUATE)
    return count;
}

static size_t list_multiply(struct qd_steps how, const struct qd_operands *operands,
                            struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, b = operands->b, s = operands->s, t = operands->t,
                              y = operands->y;
    const unsigned narrow = how.narrow;
    size_t count = 0;
    QD_ORDERS_MULTIPLY(EVALUATE)
    return count;
}

static size_t list_add(struct qd_steps how, const struct qd_operands *operands,
                       struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, b = operands->b, s = operands->s, t = operands->t,
                              y = operands->y;
    const unsigned narrow = how.narrow;
    size_t count = 0;
    QD_ORDERS_ADD(EVALUATE)
    return count;
}

/* The lowest bit is that of y·n. */
static size_t list_mean(struct qd_steps how, const struct qd_operands *operands,
                        struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, s = operands->s, y = operands->y, n = operands->n,
                              f = operands->f;
    const struct qd_enclosure d = times(y, n),
                              either[2] = {{d.lo, d.lo, d.lost}, {d.hi, d.hi, d.lost}};
    const unsigned narrow = how.narrow;
    size_t count = 0;
    QD_ORDERS_MEAN(EVALUATE)
    for (int i = 0; i < 2; i++) {
        QD_ORDERS_MEAN_BY_PRODUCT(EVALUATE)
    }
    return count;
}

const struct qd_order_list qd_orders_product = {list_product, 3},
                           qd_orders_rescale = {list_rescale, 2},
                           qd_orders_multiply = {list_multiply, 4}, qd_orders_add = {list_add, 5},
                           qd_orders_mean = {list_mean, 5};

/* The codes of a result's ends. */
static void include_ends(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                         int64_t (*code_of)(const struct qd_output_quantizer *quantizer, double x),
                         struct qd_enclosure result)
{
    qd_code_include(code, code_of(quantizer, result.lo));
    if (result.hi != result.lo)
        qd_code_include(code, code_of(quantizer, result.hi));
}

bool qd_code_include_results(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                             int64_t (*code_of)(const struct qd_output_quantizer *quantizer,
                                                double x),
                             const struct qd_enclosure *results, size_t count)
{
    struct qd_enclosure hull = {INFINITY, -INFINITY, true};
    bool monotone = qd_output_quantizer_is_monotone(quantizer);
    for (size_t i = 0; i < count; i++) {
        if (results[i].lost) {
            code->flags |= QD_EXTREME_SCALE;
            continue;
        }
        hull.lost = false;
        hull.lo = results[i].lo < hull.lo ? results[i].lo : hull.lo;
        hull.hi = results[i].hi > hull.hi ? results[i].hi : hull.hi;
        if (!monotone) /* the codes of a wrapping range do not come in order */
            include_ends(code, quantizer, code_of, results[i]);
    }
    if (!hull.lost && monotone)
        include_ends(code, quantizer, code_of, hull);
    return !hull.lost;
}

struct qd_code qd_code_of_results(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                  const struct qd_enclosure *results, size_t count)
{
    int64_t want = qd_output_quantizer_exact(quantizer, real);
    struct qd_code code = {.want = want, .lo = want, .hi = want, .flags = 0};
    if (!qd_code_include_results(&code, quantizer, qd_output_quantizer_float, results, count))
        code.flags |= QD_UNSPECIFIED;
    return code;
}

void qd_code_drop_lost(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                       const struct qd_enclosure *results, const struct qd_enclosure *given,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].lost && given[i].lost)
            code->not_number = true;
        else if (results[i].lost)
            qd_code_drop(code, qd_output_quantizer_float(quantizer, given[i].lo));
}

void qd_code_drop_orders(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                         const struct qd_order_list *list, const struct qd_operands *operands,
                         const struct qd_enclosure *results, size_t count)
{
    struct qd_enclosure given[QD_MOST_RESULTS];
    if (!(code->flags & QD_EXTREME_SCALE))
        return;
    list->results(ieee, operands, given);
    qd_code_drop_lost(code, quantizer, results, given, count);
}

struct qd_code qd_code_of_orders(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                 const struct qd_orders_of *orders,
                                 const struct qd_operands *operands)
{
    struct qd_enclosure results[QD_MOST_RESULTS];
    size_t count = orders->list->results(f32, operands, results);
    struct qd_code code = qd_code_of_results(quantizer, real, results, count);
    qd_code_drop_orders(&code, quantizer, orders->list, operands, results, count);
    qd_code_take_union(&code, quantizer, orders, 1, operands);
    return code;
}
