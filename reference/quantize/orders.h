/* SPDX-License-Identifier: Apache-2.0 */
/* The permitted orders of evaluation where they are finitely many, and the codes that they give.
 *
 * Each list is the code and, by its text, what orders_test.c compares with the table in
 * reference/README.md, "Admissible sets":
 * times, over and plus are operations that round in one float type. */
#ifndef QDIFF_REFERENCE_ORDERS_H
#define QDIFF_REFERENCE_ORDERS_H

#include "number/enclosure.h"
#include "qdiff/output_quantizer.h"

/* ORDER(operation, x, y): an order's last operation and what it operates on. FACTOR(m): the order
 * a·m, m formed once. */

/* acc·s_1·s_2/s_y */
#define QD_ORDERS_REQUANTIZE(FACTOR, ORDER) \
    FACTOR(over(times(s, t), y))            \
    FACTOR(times(s, over(t, y)))            \
    FACTOR(times(t, over(s, y)))            \
    ORDER(over, times(times(a, s), t), y)   \
    ORDER(over, times(times(a, t), s), y)   \
    ORDER(over, times(a, times(s, t)), y)

/* A code between two scales. */
#define QD_ORDERS_RESCALE(ORDER) \
    ORDER(over, times(a, s), y)  \
    ORDER(times, a, over(s, y))

/* A product of two codes: these besides those of REQUANTIZE. */
#define QD_ORDERS_MULTIPLY(ORDER) ORDER(over, times(times(a, s), times(b, t)), y)

/* A sum of two codes. */
#define QD_ORDERS_ADD(ORDER)                       \
    ORDER(over, plus(times(a, s), times(b, t)), y) \
    ORDER(plus, times(a, over(s, y)), times(b, over(t, y)))

/* A mean of codes: a their sum, f the float32 sum of the dequantized ones. ends(d): a divisor that
 * rounded, taken at either end. */
#define QD_ORDERS_MEAN(ORDER)                        \
    ORDER(times, a, over(over(s, y), n))             \
    ORDER(times, a, times(over(s, y), over(one, n))) \
    ORDER(times, a, over(over(s, n), y))             \
    ORDER(times, a, over(times(s, over(one, n)), y)) \
    ORDER(over, over(times(a, s), n), y)             \
    ORDER(over, times(times(a, s), over(one, n)), y) \
    ORDER(over, over(times(a, s), y), n)             \
    ORDER(times, over(times(a, s), y), over(one, n)) \
    ORDER(over, times(over(a, n), s), y)             \
    ORDER(times, over(a, n), over(s, y))             \
    ORDER(over, over(f, n), y)                       \
    ORDER(over, times(f, over(one, n)), y)
#define QD_ORDERS_MEAN_BY_PRODUCT(ORDER)        \
    ORDER(over, times(a, s), ends(times(y, n))) \
    ORDER(times, a, over(s, ends(times(y, n))))

/* How an order is computed: each operation in `in`, and where `narrow` has its bit, what it gives is then rounded to
 * nearest in `type`. The lowest bit is that of the operation done first. */
struct qd_steps {
    struct qd_arithmetic in;
    enum qd_dtype type;
    unsigned narrow;
};

/* Operands by the letters above; those that an order does not name need no value. s, t, y and n are
 * points, y and n not 0. */
struct qd_operands {
    struct qd_enclosure a, b; /* an accumulator or codes, zero points subtracted */
    struct qd_enclosure s, t; /* their scales */
    struct qd_enclosure y;    /* the output's scale */
    struct qd_enclosure n;    /* how many are averaged */
    struct qd_enclosure f;
};

enum { QD_FACTORS = 3, QD_MOST_RESULTS = 16 };

/* The factors of QD_ORDERS_REQUANTIZE, then with them the results of its orders for an accumulator
 * `a`, which counts instead of the operand. */
void qd_orders_form(struct qd_arithmetic in, const struct qd_operands *operands,
                    struct qd_enclosure factors[QD_FACTORS]);
size_t qd_orders_requantize(struct qd_arithmetic in, struct qd_enclosure a,
                            const struct qd_operands *operands,
                            const struct qd_enclosure factors[QD_FACTORS],
                            struct qd_enclosure results[QD_MOST_RESULTS]);

/* The results of a list's orders; how many. */
typedef size_t qd_orders(struct qd_steps how, const struct qd_operands *operands,
                         struct qd_enclosure results[QD_MOST_RESULTS]);

/* operations: the most that an order has. */
struct qd_order_list {
    qd_orders *results;
    unsigned operations;
};
extern const struct qd_order_list qd_orders_product, qd_orders_rescale, qd_orders_multiply,
    qd_orders_add, qd_orders_mean; /* product: of REQUANTIZE */

/* Whether a scale's magnitude lies within 2^±20: where all do, no product of up to four of them,
 * divided by another and times an accumulator of int32, over- or underflows in float32. */
bool qd_scale_is_moderate(double scale);

/* Takes the codes of an order's results into the hull. A lost one sets QD_EXTREME_SCALE; false if
 * all are. code_of:
 * qd_output_quantizer_float, or qd_output_quantizer_sum of results that have the zero point in
 * them. */
bool qd_code_include_results(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                             int64_t (*code_of)(const struct qd_output_quantizer *quantizer,
                                                double x),
                             const struct qd_enclosure *results, size_t count);

/* Results that are lost, as IEEE 754 has them: their codes become `dropped`, and of a NaN any is accepted
 * (value.h). `given` are the same orders' results with how.all, of which NaN alone is lost. */
void qd_code_drop_lost(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                       const struct qd_enclosure *results, const struct qd_enclosure *given,
                       size_t count);

/* The same of a list in float32, whose results are given. */
void qd_code_drop_orders(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                         const struct qd_order_list *list, const struct qd_operands *operands,
                         const struct qd_enclosure *results, size_t count);

/* The canonical code of `real` and the hull of it and the results; unspecified if all are lost. */
struct qd_code qd_code_of_results(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                  const struct qd_enclosure *results, size_t count);

/* --- Their union ------------------------------------------------------------------------------ */

/* Codes, each once; those that find no room are forgotten. */
enum { QD_MOST_CODES = 32 };
struct qd_codes {
    int64_t at[QD_MOST_CODES];
    size_t count;
};
void qd_codes_include(struct qd_codes *codes, int64_t c);

/* A list, and the code or accumulator `a` of it: exact, its conversion is one operation more. */
struct qd_orders_of {
    const struct qd_order_list *list;
    double a;
};

/* Adds the codes, inside the hull, that the orders give where each operation for itself gives a
 * number of how.in, or that rounded to nearest in how.type; whether some evaluation was not
 * lost. how.narrow and operands->a do not count. */
bool qd_codes_add(struct qd_codes *codes, const struct qd_code *hull,
                  const struct qd_output_quantizer *quantizer, const struct qd_orders_of *orders,
                  struct qd_steps how, const struct qd_operands *operands);

/* The same evaluations with the infinities and subnormals of IEEE 754, how.in.all: what is not
 * admissible of what they give becomes `dropped`. */
void qd_code_drop_ways(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                       const struct qd_orders_of *orders, struct qd_steps how,
                       const struct qd_operands *operands);

/* Leaves of a hull of several codes the canonical one and those that the lists give, each operation in float32 or in
 * double. A hull of which an order was dropped stays. */
void qd_code_take_union(struct qd_code *code, const struct qd_output_quantizer *quantizer,
                        const struct qd_orders_of *lists, size_t count,
                        const struct qd_operands *operands);

/* Makes admissible what `other` admits, a code of the same canonical number; unspecified if both are. */
void qd_code_join(struct qd_code *code, const struct qd_code *other);

/* The canonical code of `real` and the union of a list, whose operands have `a` too. */
struct qd_code qd_code_of_orders(const struct qd_output_quantizer *quantizer, struct qd_ratio real,
                                 const struct qd_orders_of *orders,
                                 const struct qd_operands *operands);

#endif
