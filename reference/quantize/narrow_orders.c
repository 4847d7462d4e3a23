/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of requantizing by scales of 16 bits: each operation in float32, or rounded to the scales' type. */
#include "quantize/orders.h"

static const struct qd_arithmetic f32 = {.type = QD_F32};

struct narrowing {
    enum qd_dtype type;
    unsigned left; /* a bit for each operation to come */
};

/* The next operation's result, in float32. */
static struct qd_enclosure narrowed(struct narrowing *how, enum qd_stage stage,
                                    struct qd_enclosure x)
{
    const struct qd_arithmetic nearest = {.type = how->type, .nearest = true};
    bool narrow = how->left & 1;
    how->left >>= 1;
    if (!narrow || x.lost)
        return x;
    return qd_enclosure_keep(nearest, stage,
                             qd_enclosure_of(nearest, (struct qd_interval){x.lo, x.hi}));
}

#define last_times(x, y) narrowed(&how, QD_LAST, qd_enclosure_multiply(f32, QD_LAST, x, y))
#define last_over(x, y) narrowed(&how, QD_LAST, qd_enclosure_divide(f32, QD_LAST, x, y))
#define times(x, y) \
    narrowed(&how, QD_INTERMEDIATE, qd_enclosure_multiply(f32, QD_INTERMEDIATE, x, y))
#define over(x, y) narrowed(&how, QD_INTERMEDIATE, qd_enclosure_divide(f32, QD_INTERMEDIATE, x, y))

#define EVALUATE(operation, x, y)           \
    how = (struct narrowing){type, narrow}; \
    results[count++] = last_##operation(x, y);
#define FINISH(m) EVALUATE(times, a, m)

size_t qd_orders_requantize_narrow(enum qd_dtype type, unsigned narrow, int64_t acc,
                                   const struct qd_operands *operands,
                                   struct qd_enclosure results[QD_MOST_RESULTS])
{
    const struct qd_enclosure s = operands->s, t = operands->t, y = operands->y;
    struct narrowing how = {type, narrow / (QD_NARROWINGS / 2)};
    const struct qd_enclosure a = narrowed(&how, QD_INTERMEDIATE, qd_enclosure_integer(f32, acc));
    size_t count = 0;
    QD_ORDERS_REQUANTIZE(FINISH, EVALUATE)
    return count;
}
