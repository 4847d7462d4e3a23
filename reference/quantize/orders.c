/* SPDX-License-Identifier: Apache-2.0 */
#include "quantize/orders.h"

static const struct qd_arithmetic f32 = {.type = QD_F32},
                                  ieee = {.type = QD_F32, .nearest = true, .all = true};
static const struct qd_enclosure one = {1, 1, false};

bool qd_scale_is_moderate(double scale)
{
    double a = fabs(scale);
    return a >= 0x1p-20 && a <= 0x1p20;
}

#define times(x, y) qd_enclosure_multiply(how, QD_INTERMEDIATE, x, y)
#define over(x, y) qd_enclosure_divide(how, QD_INTERMEDIATE, x, y)
#define plus(x, y) qd_enclosure_add(how, x, y)

#define last_times(x, y) qd_enclosure_multiply(how, QD_LAST, x, y)
#define last_over(x, y) qd_enclosure_divide(how, QD_LAST, x, y)
#define last_plus(x, y) qd_enclosure_add(how, x, y)

/* What the lists are made into: factors, and results of whole orders. */
#define FORM(m) factors[count++] = m;
#define FINISH(m)                                   \
    results[count] = last_times(a, factors[count]); \
    count++;
#define EVALUATE(operation, x, y) results[count++] = last_##operation(x, y);
#define NONE(...)
#define ends(d) either[i] /* qd_orders_mean forms it */

void qd_orders_form(struct qd_arithmetic how, const struct qd_operands *operands,
                    struct qd_enclosure factors[QD_FACTORS])
{
    const struct qd_enclosure s = operands->s, t = operands->t, y = operands->y;
    size_t count = 0;
    QD_ORDERS_REQUANTIZE(FORM, NONE)
}

size_t qd_orders_requantize(struct qd_arithmetic how, struct qd_enclosure a,
                            const struct qd_operands *operands,
                            const struct qd_enclosure factors[QD_FACTORS],
                            struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure s = operands->s, t = operands->t, y = operands->y;
    size_t count = 0;
    QD_ORDERS_REQUANTIZE(FINISH, EVALUATE)
    return count;
}

size_t qd_orders_rescale(struct qd_arithmetic how, const struct qd_operands *operands,
                         struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, s = operands->s, y = operands->y;
    size_t count = 0;
    QD_ORDERS_RESCALE(EVALUATE)
    return count;
}

size_t qd_orders_multiply(struct qd_arithmetic how, const struct qd_operands *operands,
                          struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, b = operands->b, s = operands->s, t = operands->t,
                              y = operands->y;
    size_t count = 0;
    QD_ORDERS_MULTIPLY(EVALUATE)
    return count;
}

size_t qd_orders_add(struct qd_arithmetic how, const struct qd_operands *operands,
                     struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, b = operands->b, s = operands->s, t = operands->t,
                              y = operands->y;
    size_t count = 0;
    QD_ORDERS_ADD(EVALUATE)
    return count;
}

size_t qd_orders_mean(struct qd_arithmetic how, const struct qd_operands *operands,
                      struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure a = operands->a, s = operands->s, y = operands->y, n = operands->n,
                              f = operands->f;
    size_t count = 0;
    QD_ORDERS_MEAN(EVALUATE)
    const struct qd_enclosure d = times(y, n),
                              either[2] = {{d.lo, d.lo, d.lost}, {d.hi, d.hi, d.lost}};
    for (int i = 0; i < 2; i++) {
        QD_ORDERS_MEAN_BY_PRODUCT(EVALUATE)
    }
    return count;
}

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
        if (results[i].lost && !given[i].lost)
            qd_code_drop(code, qd_output_quantizer_float(quantizer, given[i].lo));
}

void qd_code_drop_orders(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                         qd_orders *orders, const struct qd_operands *operands,
                         const struct qd_enclosure *results, size_t count)
{
    struct qd_enclosure given[QD_MOST_RESULTS];
    if (!(code->flags & QD_EXTREME_SCALE))
        return;
    orders(ieee, operands, given);
    qd_code_drop_lost(code, quantizer, results, given, count);
}

struct qd_code qd_code_of_orders(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                 qd_orders *orders, const struct qd_operands *operands)
{
    struct qd_enclosure results[QD_MOST_RESULTS];
    size_t count = orders(f32, operands, results);
    struct qd_code code = qd_code_of_results(quantizer, real, results, count);
    qd_code_drop_orders(&code, quantizer, orders, operands, results, count);
    return code;
}
