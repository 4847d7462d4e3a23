/* SPDX-License-Identifier: Apache-2.0 */
/* The twin: a second, slow implementation of the reference, for tests only.
 *
 * It shares nothing with the reference but the tensor and graph structs: numbers are GMP rationals,
 * floats are taken apart by their bit fields, roundings are integer divisions, convolutions are
 * nested loops over coordinates. What the two must agree on is in the ONNX specification and in
 * reference/README.md; where they differ, the mathematics decides.
 *
 * A broken precondition aborts: only tests call this. */
#ifndef QDIFF_REFERENCE_TWIN_H
#define QDIFF_REFERENCE_TWIN_H

#include <stdbool.h>
#include <stdint.h>
#include <gmp.h>

#include "qdiff/evaluate.h"

/* Deterministic random numbers (splitmix64). */
struct twin_random {
    uint64_t state;
};

/* --- Numbers --- */

enum twin_kind { TWIN_FINITE, TWIN_PLUS_INF, TWIN_MINUS_INF, TWIN_NAN };

/* A finite rational, an infinity or NaN. −0 is 0: values are compared, not bits. */
struct twin_number {
    enum twin_kind kind;
    mpq_t q; /* canonical; meaningful for TWIN_FINITE only */
};

void twin_number_init(struct twin_number *number);
void twin_number_clear(struct twin_number *number);
void twin_number_set(struct twin_number *number, const struct twin_number *from);
bool twin_number_equal(const struct twin_number *a, const struct twin_number *b);
/* −Inf < every rational < +Inf. Neither may be NaN. */
int twin_number_compare(const struct twin_number *a, const struct twin_number *b);

/* The number a code of the type stands for: integers sign-extended, floats by their fields. */
void twin_decode(enum qd_dtype dtype, uint64_t bits, struct twin_number *number);

/* The bits of the value of the float type (f8e8m0 excepted) nearest to q, which must not be beyond
 * the largest finite one. */
uint64_t twin_encode(enum qd_dtype dtype, const mpq_t q);

/* Element i of a tensor, from its bytes. */
void twin_element_of(const struct qd_tensor *tensor, int64_t i, struct twin_number *number);
int64_t twin_integer_of(const struct qd_tensor *tensor, int64_t i);

enum twin_direction { TWIN_DOWN, TWIN_NEAREST, TWIN_UP };

/* Where a rounded value lies in its type. */
enum twin_size {
    TWIN_ORDINARY, /* zero because the exact value is zero, or of normal magnitude */
    TWIN_TINY,     /* subnormal, or zero although the exact value is not */
    TWIN_HUGE /* beyond the largest finite value; `out` then is the value with unbounded exponent */
};

/* Rounds an exact value to the float type. in and out may be the same. */
enum twin_size twin_round(enum qd_dtype dtype, enum twin_direction direction, mpq_t out,
                          const mpq_t in);

/* The same for numbers: TWIN_HUGE becomes an infinity (nearest only); Inf and NaN pass. */
void twin_round_number(enum qd_dtype dtype, struct twin_number *out, const struct twin_number *in);

/* Nearest integer, ties to even. */
void twin_round_integer(mpz_t out, const mpq_t in);

/* rne(real) + zero_point, clamped to the integer type's codes. */
int64_t twin_code(enum qd_dtype dtype, const mpq_t real, int64_t zero_point);

/* Least and greatest code of an integer type. */
int64_t twin_code_min(enum qd_dtype dtype);
int64_t twin_code_max(enum qd_dtype dtype);

/* --- Results --- */

#define TWIN_MAX_CODES 8
#define TWIN_MAX_DROPPED 256

/* One output element: canonical value and the admissible hull (codes or reals), as numbers. */
struct twin_element {
    struct twin_number want, lo, hi;
    bool unspecified; /* the specification defines nothing; the numbers are meaningless */
    bool extreme;     /* an evaluation order over- or underflowed and was left out */
    bool nan_too;     /* such an order gives a NaN, which is admissible besides */
    bool narrowed;    /* not all codes of the hull of directed roundings are admissible */
    /* The admissible codes where they are finitely many, in any order; count 0: all of [lo, hi]. */
    unsigned code_count;
    int64_t codes[TWIN_MAX_CODES];
    /* What is not admissible, and no mismatch either: what orders that were left out
     * give with the infinities and subnormal numbers of IEEE 754. */
    bool dropped_known;
    unsigned dropped_count;
    int64_t dropped[TWIN_MAX_DROPPED];
};

struct twin_result {
    enum qd_dtype dtype;
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
    int64_t count;
    struct twin_element *elements;
};

void twin_result_init(struct twin_result *result, enum qd_dtype dtype, unsigned rank,
                      const int64_t *dims);
void twin_result_clear(struct twin_result *result);

/* Makes a code admissible, one of `codes`. Of more than have room code_count is TWIN_MAX_CODES + 1
 * and [lo, hi] their hull. */
void twin_add_code(struct twin_element *element, int64_t code);

/* Whether a code is admissible for a specified element of an integer type. */
bool twin_element_admits(const struct twin_element *element, int64_t code);

/* --- From integers and scales to a code --- */

enum twin_formula {
    TWIN_PRODUCT,          /* a·s1·s2/sy */
    TWIN_PRODUCT_OF_CODES, /* the same with a = b·c */
    TWIN_RESCALED,         /* a·s1/sy */
    TWIN_SUM,              /* (b·s1 + c·s2)/sy */
    TWIN_MEAN,             /* a·s1/(n·sy) */
    TWIN_FORMULAS
};

/* What the letters of an order stand for. [f_lo, f_hi]: where a float32 sum of the codes that make
 * up a, each times s1, lies. */
struct twin_terms {
    int64_t a, b, c, n;
    double s1, s2, sy, f_lo, f_hi;
};

/* Order i of a formula in reverse Polish notation (see requantize_testlib.c); NULL
 * after the last. And of the TWIN_ORDERS of TWIN_PRODUCT. */
#define TWIN_MAX_ORDERS 16
#define TWIN_ORDERS 6
const char *twin_order_of(enum twin_formula formula, unsigned order);
const char *twin_order_text(unsigned order);

/* The canonical code and those of every order, each operation of which rounds to nearest in double,
 * or then in float32 as well; they lie in the hull of every order with directed rounding in
 * float32, which is the set where an order of it over- or underflows. Where the scales' type is
 * another, which of the codes in the hull of that type an order gives whose operations each round
 * in float32 or to nearest in that type. Scales finite, sy not 0. */
void twin_admit(enum twin_formula formula, const struct twin_terms *terms, enum qd_dtype scale_type,
                enum qd_dtype dtype, int64_t zero_point, struct twin_element *out);

/* TWIN_PRODUCT. A scale that is NaN, infinite or, for sy, zero makes the element unspecified; so
 * does |acc| beyond int32. */
void twin_requantize(int64_t acc, const struct twin_number *s1, const struct twin_number *s2,
                     const struct twin_number *sy, enum qd_dtype scale_type, enum qd_dtype dtype,
                     int64_t zero_point, struct twin_element *out);

/* What a kernel that computes in `dtype` (F32, or F64 as a wider one) with round-to-nearest and the
 * given order answers: true and its code; false if an intermediate is huge or tiny. Scales finite,
 * sy not 0. */
bool twin_requantize_nearest(unsigned order, enum qd_dtype float_type, int64_t acc, const mpq_t s1,
                             const mpq_t s2, const mpq_t sy, enum qd_dtype dtype,
                             int64_t zero_point, int64_t *code);

/* --- Operators: in[i] is NULL for an absent input; *out is initialised by the call --- */

void twin_qlinear_conv(const struct qd_node *node, const struct qd_tensor *const *in,
                       struct twin_result *out);
void twin_conv_integer(const struct qd_node *node, const struct qd_tensor *const *in,
                       struct twin_result *out);
void twin_quantize_linear(const struct qd_node *node, const struct qd_tensor *const *in,
                          struct twin_result *out);
void twin_dequantize_linear(const struct qd_node *node, const struct qd_tensor *const *in,
                            struct twin_result *out);

/* Identity, Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Concat, Split, Slice, Gather, Expand,
 * Pad, Tile, DepthToSpace, SpaceToDepth, Where, ReduceMax, MaxPool; as many results as the node has
 * outputs. Lists come as inputs (Slice-10, Squeeze-13, Split-13). */
void twin_move(const struct qd_node *node, const struct qd_tensor *const *in,
               struct twin_result *out);

/* One axis of a pool's window, by the node's attributes; `out`: the output's extent. */
struct twin_window {
    int64_t kernel, stride, dilation, before, after, out;
};
struct twin_window twin_window_of(const struct qd_node *node, unsigned axis, unsigned spatial,
                                  int64_t in);
/* The elements of x ([N, C, ...]) under the window at output coordinates `at`: their number and
 * flat indices, at most TWIN_MAX_TAPS. *padded counts those in the padding too, but not what lies
 * beyond it. */
#define TWIN_MAX_TAPS 64
unsigned twin_window_taps(const struct qd_tensor *x, const struct twin_window *windows,
                          const int64_t *at, int64_t *index, int64_t *padded);

/* out[0..2]: y, y_scale, y_zero_point. */
void twin_dynamic_quantize_linear(const struct qd_tensor *x, struct twin_result *out);
void twin_matmul_integer(const struct qd_tensor *const *in, struct twin_result *out);
void twin_qlinear_matmul(const struct qd_tensor *const *in, struct twin_result *out);

/* --- One-node graphs, random tensors, comparison (twin_graph_testlib.c) --- */

#define TWIN_MAX_INPUTS 11
#define TWIN_MAX_ATTRS 10
#define TWIN_MAX_OUTPUTS 3

struct twin_node {
    struct qd_node node;
    int input_index[TWIN_MAX_INPUTS], output_index[TWIN_MAX_OUTPUTS];
    struct qd_tensor tensors[TWIN_MAX_INPUTS];
    const struct qd_tensor *in[TWIN_MAX_INPUTS]; /* NULL: absent */
    struct qd_attr attrs[TWIN_MAX_ATTRS];
};

/* op_type must outlive the node. Inputs are added in order; a tensor's data is borrowed. */
void twin_node_init(struct twin_node *twin, const char *op_type, int64_t opset, size_t outputs);
/* The same for an operator of com.microsoft, opset 1, one output. */
void twin_node_init_vendor(struct twin_node *twin, const char *op_type);
void twin_node_input(struct twin_node *twin, const struct qd_tensor *tensor);
void twin_node_int(struct twin_node *twin, const char *name, int64_t value);
void twin_node_float(struct twin_node *twin, const char *name, float value);
void twin_node_string(struct twin_node *twin, const char *name, const char *value);
void twin_node_ints(struct twin_node *twin, const char *name, const int64_t *values, size_t count);

/* Runs the reference (not the twin) on the one-node graph. With `initializers` every input but the
 * first is one. */
enum qd_status twin_node_evaluate(struct twin_node *twin, bool initializers,
                                  const struct qd_semantics *semantics, struct qd_arena *arena,
                                  struct qd_value *outputs, struct qd_error *error);

/* The same, where the test cannot go on without: a refusal fails the cmocka test. */
void twin_node_answer(struct twin_node *twin, struct qd_arena *arena, struct qd_value *outputs);

/* "QLinearConv-10(u8[1,2,3], f32[], …; group=2 …)" */
const char *twin_node_describe(const struct twin_node *twin, char *text, size_t size);

/* Graphs of several nodes; the reference alone evaluates them. Values are known by their index. */
#define TWIN_MAX_VALUES 32
#define TWIN_MAX_NODES 10

struct twin_graph {
    struct qd_graph graph;
    struct qd_graph_value values[TWIN_MAX_VALUES];
    struct qd_tensor tensors[TWIN_MAX_VALUES], fed[TWIN_MAX_VALUES];
    struct qd_node nodes[TWIN_MAX_NODES];
    int input_ids[TWIN_MAX_NODES][TWIN_MAX_INPUTS], output_ids[TWIN_MAX_NODES],
        feeds[TWIN_MAX_VALUES];
    struct qd_attr attrs[TWIN_MAX_NODES];
};

void twin_graph_init(struct twin_graph *graph);
/* An initializer, and a graph input, with the given value. */
int twin_graph_constant(struct twin_graph *graph, const struct qd_tensor *tensor);
int twin_graph_feed(struct twin_graph *graph, const struct qd_tensor *tensor);
/* A node of opset 21 with one output; `axis` < 0: no attribute. */
int twin_graph_node(struct twin_graph *graph, const char *op_type, const int *inputs, size_t count,
                    int64_t axis);
/* A node of the template's operator, opset and attributes, which it borrows. */
int twin_graph_operator(struct twin_graph *graph, const struct twin_node *like, const int *inputs,
                        size_t count);
/* The values of outputs[0..count); fails the cmocka test when the reference refuses. */
void twin_graph_evaluate(struct twin_graph *graph, const int *outputs, size_t count,
                         struct qd_arena *arena, struct qd_value *values);

/* What a comparison looked at. */
struct twin_tally {
    int64_t elements, slack, narrowed, unspecified, extreme, failures;
    int64_t first; /* index of the first differing element of the last comparison that failed */
};

/* Compares canonical value, hull as a graph output may show it, and flags, element by element. The
 * first difference is written to text ("" if none); returns whether there is none. */
bool twin_compare(const struct twin_result *want, const struct qd_value *have,
                  struct twin_tally *tally, char *text, size_t size);

/* Element i against twin_admit with float32 scales; fails the cmocka test where they differ. */
void twin_check_formula(enum twin_formula formula, const struct twin_terms *terms,
                        int64_t zero_point, const struct qd_value *have, int64_t i,
                        struct twin_tally *tally);

/* The tests' loop body: evaluate, compare every output with want[output], fail the cmocka test with
 * the node's description. */
void twin_check(struct twin_node *twin, bool initializers, const struct twin_result *want,
                struct twin_tally *tally);
void twin_tally_print(const char *name, const struct twin_tally *tally);

/* --- What kernels may answer (twin_probe_testlib.c) --- */

/* Codes of one tensor with their parameters. */
struct twin_operand {
    struct qd_tensor codes;
    float scale;
    int64_t zero_point;
};

/* code − zero_point of element i. */
int64_t twin_operand_shifted(const struct twin_operand *operand, int64_t i);
/* A float32 scalar. */
struct qd_tensor twin_float_scalar(struct qd_arena *arena, float value);
/* Adds codes, scale and zero point as the node's next three inputs. */
void twin_node_operand(struct twin_node *twin, struct qd_arena *arena,
                       const struct twin_operand *operand);
/* Adds the next two: scale and zero point of an output. */
void twin_node_output(struct twin_node *twin, struct qd_arena *arena, enum qd_dtype dtype,
                      float scale, int64_t zero_point);
/* Codes fed to a DequantizeLinear: its output. And a QuantizeLinear of `real`: its output. */
int twin_graph_dequantized(struct twin_graph *graph, struct qd_arena *arena,
                           const struct twin_operand *operand);
int twin_graph_quantized(struct twin_graph *graph, struct qd_arena *arena, int real,
                         enum qd_dtype dtype, float scale, int64_t zero_point);

/* For one output element: the exact number and what kernels compute for it in float, each by a
 * permitted order. For a code: divided by the output's scale, before the rounding. */
#define TWIN_MAX_ANSWERS 128
struct twin_answers {
    mpq_t exact;
    bool
        may_be_open; /* the reference need not have a canonical value: where it has only an enclosure */
    unsigned count;
    double real[TWIN_MAX_ANSWERS];
    const char *how[TWIN_MAX_ANSWERS];
};
void twin_answers_init(struct twin_answers *answers);
void twin_answers_clear(struct twin_answers *answers);
void twin_answers_add(struct twin_answers *answers, double real, const char *how);

/* acc·s_1·…·s_n/s_y for at most three factors: the exact number, and every way to multiply a
 * float32 accumulator by a factor s_1·…·s_n/s_y, or by the scales and divide the product. */
void twin_answers_product(struct twin_answers *answers, int64_t acc, const float *factors,
                          unsigned count, float s_y);

/* What a kernel gives that holds the result of each operation of an order, a conversion among them,
 * as a float32 where the next bit of `narrow` is set, else as a double. f is f_lo. */
double twin_kernel(const char *order, const struct twin_terms *terms, uint64_t narrow);
/* Every order of a formula in float32, in double, and in a mixture. */
void twin_answers_orders(struct twin_answers *answers, enum twin_formula formula,
                         const struct twin_terms *terms, struct twin_random *random);

struct twin_probe {
    int64_t elements, slack, answers, not_canonical;
    int64_t open; /* floats without a canonical value: one in 200 at most */
};
/* Integer output: `want` is the code of the exact number, every answer's code lies in the hull, and
 * the hull is one code if `tight`. Fails the cmocka test otherwise. */
void twin_probe_code(struct twin_probe *probe, const struct qd_value *have, int64_t i,
                     const struct twin_answers *answers, int64_t zero_point, bool tight);
/* Float output: `want` is the exact number rounded to nearest (or open: where terms cancel, a
 * reference that sums in double need not know it), every answer lies in the hull; if `tight` the hull
 * is nothing but the first. */
void twin_probe_float(struct twin_probe *probe, const struct qd_value *have, int64_t i,
                      const struct twin_answers *answers, bool tight);
void twin_probe_print(const char *name, const struct twin_probe *probe);

/* Float32 by its bits. */
float twin_float_of(uint32_t bits);
uint32_t twin_bits_of(float value);
/* Moved by up to `ulps` steps of float32, either way. */
float twin_nudged(struct twin_random *random, float value, int64_t ulps);
/* Adds up term[0..count) two at a time, picked at random; overwrites term. */
float twin_random_tree(struct twin_random *random, float *term, int64_t count);
/* Σ x·w + start: rounded products or FMA, in a random number of running sums that a tree joins. */
float twin_random_sum(struct twin_random *random, const float *x, const float *w, int64_t terms,
                      float start);

/* --- Random numbers and tensors (twin_graph_testlib.c) --- */

uint64_t twin_random_bits(struct twin_random *random);
int64_t twin_random_between(struct twin_random *random, int64_t min,
                            int64_t max); /* both included */
bool twin_random_one_in(struct twin_random *random, int64_t n);
/* A code of the integer type: one in four at an end or next to it, else uniform. */
int64_t twin_random_code(struct twin_random *random, enum qd_dtype dtype);
/* Bits of a positive normal float32 with exponent in [min, max]; one in four a power of two, one in
 * eight 3 or 5 times one. */
uint32_t twin_random_scale(struct twin_random *random, int min_exponent, int max_exponent);
/* Bits of a float32 sy > 0 that puts acc·s1·s2/sy on a rounding edge k + ½, exactly where float32
 * allows, or within two ulps of sy of it. */
uint32_t twin_solve_divisor(struct twin_random *random, int64_t acc, const mpq_t s1,
                            const mpq_t s2);
/* The same for s2, given sy. */
uint32_t twin_solve_factor(struct twin_random *random, int64_t acc, const mpq_t s1, const mpq_t sy);
/* How much longer the test shall run: QDIFF_TWIN_FACTOR, 1 if unset. */
int64_t twin_factor(void);
/* rounds · twin_factor() / 2, / 10 under AddressSanitizer, at least 1. */
int64_t twin_rounds(int64_t rounds);
/* 1, and 8 under AddressSanitizer: sweeps over all 16-bit codes then look at every eighth. */
int64_t twin_stride(void);

/* Tensors in an arena. */
struct qd_tensor twin_tensor(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                             const int64_t *dims);
struct qd_tensor twin_scalar(struct qd_arena *arena, enum qd_dtype dtype, uint64_t bits);
struct qd_tensor twin_vector(struct qd_arena *arena, enum qd_dtype dtype, int64_t count,
                             const int64_t *codes);
/* Writes element i's bits by hand, as ONNX packs them. */
void twin_put(const struct qd_tensor *tensor, int64_t i, uint64_t bits);

#endif
