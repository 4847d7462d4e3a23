/* SPDX-License-Identifier: Apache-2.0 */
/* The element-wise operators of com.microsoft and their like between DequantizeLinear and
 * QuantizeLinear against exact rationals and simulated kernels: QLinearAdd, QLinearMul,
 * QLinearLeakyRelu, QLinearWhere, QLinearConcat; Add, Sub, Mul, Div, LeakyRelu, Where, Concat.
 * All pairs of codes for a few parameter sets, all codes for many; scales solved so that answers
 * fall next to rounding edges. Alone: <build>/tests/reference/twin/elementwise_test;
 * QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

enum { ADD, SUB, MUL, DIV, BINARY };
static const char *const binary_names[BINARY] = {"Add", "Sub", "Mul", "Div"};
static const char *const vendor_names[BINARY] = {"QLinearAdd", NULL, "QLinearMul", NULL};

struct pair {
    struct qd_arena arena;
    int operation;
    bool powers_of_two;
    enum qd_dtype dtype;
    struct twin_operand a, b;
    float s_y;
    int64_t y_zero_point;
};

static float random_scale(struct twin_random *random, bool power_of_two)
{
    return twin_float_of(twin_random_scale(random, -8, 2) &
                         (power_of_two ? 0x7f800000 : 0x7fffffff));
}

static enum qd_dtype random_type(struct twin_random *random)
{
    return twin_random_one_in(random, 2) ? QD_U8 : QD_S8;
}

static void fill(const struct qd_tensor *codes)
{
    for (int64_t i = 0; i < codes->count; i++)
        twin_put(codes, i, (uint64_t)(twin_code_min(codes->dtype) + i));
}

static void choose_pair(struct pair *p, struct twin_random *random, int operation, bool exact)
{
    *p = (struct pair){.operation = operation, .powers_of_two = exact};
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    p->dtype = random_type(random);
    p->a.scale = random_scale(random, exact);
    p->b.scale = random_scale(random, exact);
    p->s_y = random_scale(random, exact) * (float)(operation == MUL ? 16 : 4);
    p->a.zero_point = twin_random_code(random, p->dtype);
    p->b.zero_point = twin_random_code(random, p->dtype);
    p->y_zero_point = twin_random_code(random, p->dtype);
}

/* The same with one code each. */
static void choose_single_pair(struct pair *p, struct twin_random *random, int operation,
                               bool exact)
{
    static const int64_t one[] = {1, 1};
    choose_pair(p, random, operation, exact);
    p->a.codes = twin_tensor(&p->arena, p->dtype, 2, one);
    p->b.codes = twin_tensor(&p->arena, p->dtype, 2, one);
    twin_put(&p->a.codes, 0, (uint64_t)twin_random_code(random, p->dtype));
    twin_put(&p->b.codes, 0, (uint64_t)twin_random_code(random, p->dtype));
}

/* Exact a∘b of the dequantized numbers. */
static void exact_result(const struct pair *p, int64_t a, int64_t b, mpq_t out)
{
    mpq_t right;
    mpq_init(right);
    mpq_set_d(out, (double)a * (double)p->a.scale);
    mpq_set_d(right, (double)b * (double)p->b.scale);
    switch (p->operation) {
    case ADD: mpq_add(out, out, right); break;
    case SUB: mpq_sub(out, out, right); break;
    case MUL: mpq_mul(out, out, right); break;
    default: mpq_div(out, out, right); break;
    }
    mpq_clear(right);
}

static void add_sum_answers(struct twin_answers *answers, const struct pair *p, float a, float b)
{
    float s_a = p->a.scale, s_b = p->b.scale, s_y = p->s_y;
    float ratio_a = s_a / s_y, ratio_b = s_b / s_y;
    const float quotients[] = {(a * s_a + b * s_b) / s_y,     fmaf(a, s_a, b * s_b) / s_y,
                               fmaf(b, s_b, a * s_a) / s_y,   a * ratio_a + b * ratio_b,
                               fmaf(a, ratio_a, b * ratio_b), fmaf(b, ratio_b, a * ratio_a)};
    static const char *const how[] = {"dequantize, add, divide",
                                      "the same, the first product fused",
                                      "the same, the second product fused",
                                      "two ratios",
                                      "two ratios, the first fused",
                                      "two ratios, the second fused"};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++)
        twin_answers_add(answers, (double)quotients[i], how[i]);
}

/* The float operator's result where every operator rounds. */
static float stepwise(const struct pair *p, int64_t a, int64_t b)
{
    float x = (float)a * p->a.scale, y = (float)b * p->b.scale;
    return p->operation == ADD   ? x + y
           : p->operation == SUB ? x - y
           : p->operation == MUL ? x * y
                                 : x / y;
}

static void binary_answers(struct twin_answers *answers, const struct pair *p, int64_t a, int64_t b)
{
    const float scales[] = {p->a.scale, p->b.scale};
    float steps = stepwise(p, a, b);
    mpq_t s_y;
    answers->count = 0;
    answers->may_be_open = false;
    if (p->operation == ADD || p->operation == SUB)
        add_sum_answers(answers, p, (float)a, (float)(p->operation == ADD ? b : -b));
    else if (p->operation == MUL)
        twin_answers_product(answers, a * b, scales, 2, p->s_y);
    twin_answers_add(answers, (double)(steps / p->s_y), "every operator rounds");
    exact_result(p, a, b, answers->exact);
    mpq_init(s_y);
    mpq_set_d(s_y, (double)p->s_y);
    mpq_div(answers->exact, answers->exact, s_y);
    mpq_clear(s_y);
    twin_answers_add(answers, mpq_get_d(answers->exact), "in double");
}

static enum twin_formula pair_terms(const struct pair *p, int64_t a, int64_t b,
                                    struct twin_terms *terms)
{
    *terms = (struct twin_terms){.a = a * b,
                                 .b = a,
                                 .c = b,
                                 .s1 = (double)p->a.scale,
                                 .s2 = (double)p->b.scale,
                                 .sy = (double)p->s_y};
    return p->operation == ADD ? TWIN_SUM : TWIN_PRODUCT_OF_CODES;
}

static void evaluate_vendor(struct pair *p, struct qd_value *value)
{
    struct twin_node node;
    twin_node_init_vendor(&node, vendor_names[p->operation]);
    twin_node_operand(&node, &p->arena, &p->a);
    twin_node_operand(&node, &p->arena, &p->b);
    twin_node_output(&node, &p->arena, p->dtype, p->s_y, p->y_zero_point);
    twin_node_answer(&node, &p->arena, value);
}

static void evaluate_between(struct pair *p, struct qd_value *value)
{
    struct twin_graph g;
    twin_graph_init(&g);
    int in[] = {twin_graph_dequantized(&g, &p->arena, &p->a),
                twin_graph_dequantized(&g, &p->arena, &p->b)};
    int real = twin_graph_node(&g, binary_names[p->operation], in, 2, -1);
    int y = twin_graph_quantized(&g, &p->arena, real, p->dtype, p->s_y, p->y_zero_point);
    twin_graph_evaluate(&g, &y, 1, &p->arena, value);
}

/* What a test looked at: kernels' answers and, of the vendor's operators, whole sets. */
struct looked_at {
    struct twin_random *random;
    struct twin_probe probe;
    struct twin_tally sets;
};

/* Every element of a value whose rows are a's codes and whose columns are b's; of the vendor's
 * operators the whole set of each `sets`-th, 0: of none. */
static void check_pairs(struct pair *p, const struct qd_value *value, int64_t sets,
                        struct looked_at *seen)
{
    struct twin_answers answers;
    int64_t columns = p->b.codes.count;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < value->want.count; i += twin_stride()) {
        struct twin_terms terms;
        int64_t a = twin_operand_shifted(&p->a, i / columns);
        int64_t b = twin_operand_shifted(&p->b, i % columns);
        if (p->operation == DIV && b == 0)
            continue; /* an infinity or NaN: nothing to compute */
        enum twin_formula formula = pair_terms(p, a, b, &terms);
        binary_answers(&answers, p, a, b);
        if (sets > 0)
            twin_answers_orders(&answers, formula, &terms, seen->random);
        bool tight = p->powers_of_two && p->operation != DIV;
        if (sets > 0 && i % sets == 0)
            twin_check_formula(formula, &terms, p->y_zero_point, value, i, &seen->sets);
        twin_probe_code(&seen->probe, value, i, &answers, p->y_zero_point, tight);
    }
    twin_answers_clear(&answers);
}

/* All 65536 pairs; every other set has power-of-two scales and no latitude. */
static void every_pair(int operation, bool vendor, int64_t sets)
{
    struct twin_random random = {110 + (uint64_t)operation};
    struct looked_at seen = {.random = &random}, exact = {.random = &random};
    for (int64_t set = 0; set < sets * twin_factor(); set++) {
        static const int64_t column[] = {256, 1}, row[] = {1, 256};
        struct pair p;
        struct qd_value value;
        choose_pair(&p, &random, operation, set % 2 == 1);
        p.a.codes = twin_tensor(&p.arena, p.dtype, 2, column);
        p.b.codes = twin_tensor(&p.arena, p.dtype, 2, row);
        fill(&p.a.codes);
        fill(&p.b.codes);
        if (vendor)
            evaluate_vendor(&p, &value);
        else
            evaluate_between(&p, &value);
        check_pairs(&p, &value, vendor ? 7 : 0, set % 2 ? &exact : &seen);
        qd_arena_clear(&p.arena);
    }
    twin_probe_print(vendor ? vendor_names[operation] : binary_names[operation], &seen.probe);
    twin_probe_print("... with power-of-two scales", &exact.probe);
    if (vendor)
        twin_tally_print("... sets", &seen.sets);
    assert_true(seen.probe.slack * 100 < seen.probe.elements);
    assert_true(exact.probe.slack == 0 || operation == DIV);
}

static void every_pair_of_the_vendor(void **state)
{
    (void)state;
    every_pair(ADD, true, 2);
    every_pair(MUL, true, 2);
}

static void every_pair_between(void **state)
{
    (void)state;
    every_pair(SUB, false, 2);
    every_pair(DIV, false, 2);
}

/* Single pairs; the output's scale puts the exact answer on or next to a rounding edge. */
static void solved_pairs(void **state)
{
    (void)state;
    for (int operation = ADD; operation < BINARY; operation++) {
        struct twin_random random = {120 + (uint64_t)operation};
        struct looked_at seen = {.random = &random};
        for (int64_t i = 0; i < twin_rounds(5000); i++) {
            struct pair p;
            struct qd_value value;
            mpq_t exact, unit;
            mpq_inits(exact, unit, NULL);
            mpq_set_ui(unit, 1, 1);
            choose_single_pair(&p, &random, operation, false);
            int64_t b = twin_operand_shifted(&p.b, 0);
            if (operation != DIV || b != 0) {
                exact_result(&p, twin_operand_shifted(&p.a, 0), b, exact);
                p.s_y = twin_float_of(twin_solve_divisor(&random, 1, exact, unit));
                evaluate_between(&p, &value);
                check_pairs(&p, &value, 0, &seen);
            }
            if (vendor_names[operation]) {
                evaluate_vendor(&p, &value);
                check_pairs(&p, &value, 1, &seen);
            }
            mpq_clears(exact, unit, NULL);
            qd_arena_clear(&p.arena);
        }
        twin_probe_print(binary_names[operation], &seen.probe);
        if (vendor_names[operation])
            twin_tally_print("... sets of the vendor's operator", &seen.sets);
        assert_true(seen.probe.not_canonical > 0 && seen.probe.slack < seen.probe.elements);
        assert_true(!vendor_names[operation] || seen.sets.narrowed > 0);
    }
}

/* QLinearAdd of two terms that all but cancel: roundings are as large as the codes, and the orders'
 * codes need not be neighbours. */
static void cancelling_sums(void **state)
{
    (void)state;
    struct twin_random random = {128};
    struct looked_at seen = {.random = &random};
    for (int64_t i = 0; i < twin_rounds(2000); i++) {
        struct pair p;
        struct qd_value value;
        choose_single_pair(&p, &random, ADD, false);
        double a = (double)twin_operand_shifted(&p.a, 0), b = (double)twin_operand_shifted(&p.b, 0);
        if (a != 0 && b != 0) {
            float scale = (float)(-a * (double)p.a.scale / b);
            p.b.scale = twin_nudged(&random, scale, 3);
            double rest = a * (double)p.a.scale + b * (double)p.b.scale;
            double unit = a * (double)p.a.scale * 0x1p-24;
            p.s_y = fabsf((float)(rest != 0 ? rest : unit) /
                          (float)twin_random_between(&random, 1, 40));
            evaluate_vendor(&p, &value);
            check_pairs(&p, &value, 1, &seen);
        }
        qd_arena_clear(&p.arena);
    }
    twin_probe_print("QLinearAdd, terms that cancel", &seen.probe);
    twin_tally_print("... sets", &seen.sets);
    assert_true(seen.sets.narrowed > 0);
}

/* --- One operand at a time --- */

enum { LEAKY_RELU, WHERE, CONCAT, UNARY };
static const char *const unary_names[UNARY] = {"LeakyRelu", "Where", "Concat"};
static const char *const unary_vendor[UNARY] = {"QLinearLeakyRelu", "QLinearWhere",
                                                "QLinearConcat"};

struct choice {
    struct pair p;
    float alpha;
    int64_t condition[512];
};

static struct qd_tensor condition_tensor(struct choice *c)
{
    return twin_vector(&c->p.arena, QD_BOOL, 256, c->condition);
}

static void vendor_choice(struct choice *c, int operation, struct qd_value *value)
{
    struct pair *p = &c->p;
    struct twin_node node;
    struct qd_tensor condition = condition_tensor(c);
    twin_node_init_vendor(&node, unary_vendor[operation]);
    if (operation == CONCAT) {
        twin_node_output(&node, &p->arena, p->dtype, p->s_y, p->y_zero_point);
        twin_node_int(&node, "axis", twin_code_min(p->dtype) < 0 ? -1 : 0);
    }
    if (operation == WHERE)
        twin_node_input(&node, &condition);
    twin_node_operand(&node, &p->arena, &p->a);
    if (operation == LEAKY_RELU)
        twin_node_float(&node, "alpha", c->alpha);
    else
        twin_node_operand(&node, &p->arena, &p->b);
    if (operation != CONCAT)
        twin_node_output(&node, &p->arena, p->dtype, p->s_y, p->y_zero_point);
    twin_node_answer(&node, &p->arena, value);
}

static void between_choice(struct choice *c, int operation, struct qd_value *value)
{
    struct pair *p = &c->p;
    struct twin_graph g;
    struct twin_node like;
    struct qd_tensor condition = condition_tensor(c);
    int in[3], count = 0;
    twin_graph_init(&g);
    twin_node_init(&like, unary_names[operation], 16, 1);
    if (operation == WHERE)
        in[count++] = twin_graph_feed(&g, &condition);
    in[count++] = twin_graph_dequantized(&g, &p->arena, &p->a);
    if (operation == LEAKY_RELU)
        twin_node_float(&like, "alpha", c->alpha);
    else
        in[count++] = twin_graph_dequantized(&g, &p->arena, &p->b);
    if (operation == CONCAT)
        twin_node_int(&like, "axis", 0);
    int real = twin_graph_operator(&g, &like, in, (size_t)count);
    int y = twin_graph_quantized(&g, &p->arena, real, p->dtype, p->s_y, p->y_zero_point);
    twin_graph_evaluate(&g, &y, 1, &p->arena, value);
}

/* Element i of what a unary operator makes of a's and b's codes. */
static enum twin_formula choice_terms(const struct choice *c, int operation, int64_t i,
                                      struct twin_terms *terms)
{
    bool first = operation == LEAKY_RELU || (operation == WHERE ? c->condition[i] : i < 256);
    const struct twin_operand *from = first ? &c->p.a : &c->p.b;
    *terms = (struct twin_terms){.a = twin_operand_shifted(from, i % 256),
                                 .s1 = (double)from->scale,
                                 .s2 = (double)c->alpha,
                                 .sy = (double)c->p.s_y};
    return operation == LEAKY_RELU && terms->a < 0 ? TWIN_PRODUCT : TWIN_RESCALED;
}

static void check_choice(struct choice *c, int operation, bool vendor, const struct qd_value *value,
                         struct looked_at *seen)
{
    struct pair *p = &c->p;
    struct twin_answers answers;
    twin_answers_init(&answers);
    for (int64_t i = 0; i < value->want.count; i++) {
        struct twin_terms terms;
        enum twin_formula formula = choice_terms(c, operation, i, &terms);
        const float factors[] = {(float)terms.s1, c->alpha};
        answers.count = 0;
        answers.may_be_open = false;
        twin_answers_product(&answers, terms.a, factors, formula == TWIN_PRODUCT ? 2 : 1, p->s_y);
        if (vendor) {
            twin_answers_orders(&answers, formula, &terms, seen->random);
            twin_check_formula(formula, &terms, p->y_zero_point, value, i, &seen->sets);
        }
        twin_probe_code(&seen->probe, value, i, &answers, p->y_zero_point, p->powers_of_two);
    }
    twin_answers_clear(&answers);
}

static float random_alpha(struct twin_random *random, bool power_of_two)
{
    static const float plain[] = {0.01F, 0.1F, 0.2F, 1, 3}, exact[] = {0, 1, -0.5F, 0.25F, 2};
    return (power_of_two ? exact : plain)[twin_random_between(random, 0, 4)];
}

/* All codes; one in two sets puts one of them on an edge. */
static void every_code(void **state)
{
    (void)state;
    for (int operation = 0; operation < UNARY; operation++) {
        struct twin_random random = {130 + (uint64_t)operation};
        struct looked_at plain = {.random = &random}, exact = {.random = &random};
        for (int64_t set = 0; set < twin_rounds(200); set++) {
            static const int64_t codes = 256;
            struct choice c;
            struct qd_value value;
            mpq_t scale, alpha;
            mpq_inits(scale, alpha, NULL);
            choose_pair(&c.p, &random, ADD, set % 4 == 3);
            c.alpha = random_alpha(&random, c.p.powers_of_two);
            c.p.a.codes = c.p.b.codes = twin_tensor(&c.p.arena, c.p.dtype, 1, &codes);
            fill(&c.p.a.codes);
            for (int i = 0; i < 256; i++)
                c.condition[i] = twin_random_one_in(&random, 2);
            mpq_set_d(scale, (double)c.p.a.scale);
            mpq_set_d(alpha, operation == LEAKY_RELU ? (double)c.alpha : 1.0);
            if (set % 2 == 0)
                c.p.s_y = twin_float_of(twin_solve_divisor(
                    &random, twin_random_between(&random, -255, 255), scale, alpha));
            mpq_clears(scale, alpha, NULL);
            struct looked_at *seen = c.p.powers_of_two ? &exact : &plain;
            vendor_choice(&c, operation, &value);
            check_choice(&c, operation, true, &value, seen);
            between_choice(&c, operation, &value);
            check_choice(&c, operation, false, &value, seen);
            qd_arena_clear(&c.p.arena);
        }
        twin_probe_print(unary_vendor[operation], &plain.probe);
        twin_probe_print("... with power-of-two scales", &exact.probe);
        twin_tally_print("... sets", &plain.sets);
        assert_true(plain.probe.not_canonical > 0 &&
                    plain.probe.slack * 10 < plain.probe.elements && plain.sets.narrowed > 0);
        assert_int_equal(exact.probe.slack, 0);
    }
}

/* --- Extreme scales --- */

/* Any positive float32: subnormal, huge, ordinary. */
static float wild_scale(struct twin_random *random)
{
    uint32_t bits = (uint32_t)twin_random_bits(random) & 0x7fffffff;
    if (twin_random_one_in(random, 4))
        bits &= 0x7fffff; /* subnormal */
    return twin_float_of(bits < 1 ? 1 : bits >= 0x7f800000 ? bits - 0x800000 : bits);
}

/* Where the exact sum or product is defined its code is the canonical one, or the element is
 * unspecified because every order over- or underflows; the other operands' answers are not
 * asked. */
static void check_wild(struct pair *p, const struct qd_value *value, int64_t *compared)
{
    mpq_t exact, s_y;
    mpq_inits(exact, s_y, NULL);
    exact_result(p, twin_operand_shifted(&p->a, 0), twin_operand_shifted(&p->b, 0), exact);
    mpq_set_d(s_y, (double)p->s_y);
    mpq_div(exact, exact, s_y);
    struct qd_observation seen = qd_value_observe(value, 0);
    int64_t want = twin_code(p->dtype, exact, p->y_zero_point);
    if (!seen.unspecified) {
        int64_t have = twin_integer_of(&value->want, 0);
        if (have != want || (double)want < seen.lo || (double)want > seen.hi)
            fail_msg("%s of %d·%a and %d·%a by %a: twin %d, reference %d [%g, %g]",
                     vendor_names[p->operation], (int)twin_operand_shifted(&p->a, 0),
                     (double)p->a.scale, (int)twin_operand_shifted(&p->b, 0), (double)p->b.scale,
                     (double)p->s_y, (int)want, (int)have, seen.lo, seen.hi);
    }
    *compared += !seen.unspecified;
    mpq_clears(exact, s_y, NULL);
}

/* The whole set. Not of a sum that is subnormal: float32 loses nothing of it, and the reference
 * does not drop the order. */
static void check_wild_set(const struct pair *p, const struct qd_value *value,
                           struct twin_tally *sets)
{
    struct twin_terms terms;
    int64_t a = twin_operand_shifted(&p->a, 0), b = twin_operand_shifted(&p->b, 0);
    enum twin_formula formula = pair_terms(p, a, b, &terms);
    double sum = (double)a * terms.s1 + (double)b * terms.s2;
    if (formula != TWIN_SUM || sum == 0 || fabs(sum) >= 0x1p-126)
        twin_check_formula(formula, &terms, p->y_zero_point, value, 0, sets);
}

/* Scales of any size; or one term on a rounding edge and another, up to 250 binades smaller, that
 * tips it. */
static void wild_scales(void **state)
{
    (void)state;
    static const int operations[] = {ADD, MUL};
    for (int o = 0; o < 2; o++) {
        struct twin_random random = {135 + (uint64_t)o};
        struct twin_tally sets = {0};
        int64_t compared = 0, rounds = twin_rounds(10000);
        for (int64_t i = 0; i < rounds; i++) {
            struct pair p;
            struct qd_value value;
            choose_single_pair(&p, &random, operations[o], i % 2 == 0);
            int64_t a = twin_operand_shifted(&p.a, 0);
            p.b.scale = wild_scale(&random);
            if (i % 2 == 0) {
                int twos = a ? __builtin_ctzll((unsigned long long)a) : 0;
                p.s_y = ldexpf(p.a.scale, twos + 1);
            } else {
                p.a.scale = wild_scale(&random);
                p.s_y = wild_scale(&random);
            }
            evaluate_vendor(&p, &value);
            check_wild(&p, &value, &compared);
            check_wild_set(&p, &value, &sets);
            qd_arena_clear(&p.arena);
        }
        print_message("# %s, any scales: %d of %d compared\n", vendor_names[operations[o]],
                      (int)compared, (int)rounds);
        twin_tally_print("... sets", &sets);
        assert_true(compared * 3 > rounds);
    }
}

/* All codes under scales of any size. */
static void wild_codes(void **state)
{
    (void)state;
    for (int operation = 0; operation < UNARY; operation++) {
        struct twin_random random = {145 + (uint64_t)operation};
        struct twin_tally sets = {0};
        for (int64_t set = 0; set < twin_rounds(200); set++) {
            static const int64_t codes = 256;
            struct choice c;
            struct qd_value value;
            choose_pair(&c.p, &random, ADD, false);
            c.alpha = wild_scale(&random);
            c.p.a.scale = wild_scale(&random);
            c.p.b.scale = wild_scale(&random);
            c.p.s_y = twin_random_one_in(&random, 2) ? c.p.a.scale : wild_scale(&random);
            c.p.a.codes = c.p.b.codes = twin_tensor(&c.p.arena, c.p.dtype, 1, &codes);
            fill(&c.p.a.codes);
            for (int i = 0; i < 256; i++)
                c.condition[i] = i % 2;
            vendor_choice(&c, operation, &value);
            for (int64_t i = 0; i < value.want.count; i++) {
                struct twin_terms terms;
                enum twin_formula formula = choice_terms(&c, operation, i, &terms);
                twin_check_formula(formula, &terms, c.p.y_zero_point, &value, i, &sets);
            }
            qd_arena_clear(&c.p.arena);
        }
        twin_tally_print(unary_vendor[operation], &sets);
        assert_true((sets.elements - sets.unspecified) * 3 > sets.elements);
    }
}

/* The comparison can fail: the zero point before the rounding, half away from zero and truncation
 * must fall outside the hull of exact ties. */
static void wrong_kernels_fall_outside(void **state)
{
    (void)state;
    enum { ADD_THEN_ROUND, TRUNCATE, HALF_AWAY, WRONG };
    static const char *const names[WRONG] = {"zero point before rounding", "truncation",
                                             "half away from zero"};
    struct twin_random random = {140};
    int64_t outside[WRONG] = {0};
    for (int64_t i = 0; i < 2000; i++) {
        struct pair p;
        struct qd_value value;
        choose_single_pair(&p, &random, MUL, true);
        evaluate_vendor(&p, &value);
        double acc = (double)(twin_operand_shifted(&p.a, 0) * twin_operand_shifted(&p.b, 0));
        double real = acc * (double)p.a.scale * (double)p.b.scale / (double)p.s_y;
        double zero_point = (double)p.y_zero_point;
        const double answers[WRONG] = {[ADD_THEN_ROUND] = nearbyint(real + zero_point),
                                       [TRUNCATE] = trunc(real) + zero_point,
                                       [HALF_AWAY] = round(real) + zero_point};
        struct qd_observation seen = qd_value_observe(&value, 0);
        for (int w = 0; w < WRONG; w++) {
            double min = (double)twin_code_min(p.dtype), max = (double)twin_code_max(p.dtype);
            double code = fmin(fmax(answers[w], min), max);
            outside[w] += code < seen.lo || code > seen.hi;
        }
        qd_arena_clear(&p.arena);
    }
    for (int w = 0; w < WRONG; w++) {
        print_message("# %s: %d of 2000 outside\n", names[w], (int)outside[w]);
        assert_true(outside[w] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_the_vendor),
        cmocka_unit_test(every_pair_between),
        cmocka_unit_test(solved_pairs),
        cmocka_unit_test(cancelling_sums),
        cmocka_unit_test(every_code),
        cmocka_unit_test(wild_scales),
        cmocka_unit_test(wild_codes),
        cmocka_unit_test(wrong_kernels_fall_outside),
    };
    return cmocka_run_group_tests_name("twin_elementwise", tests, NULL, NULL);
}
