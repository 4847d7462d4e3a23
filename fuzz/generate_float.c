/* SPDX-License-Identifier: Apache-2.0 */
/* Float graphs for tools that quantize: a few operators in a row, beside each other and joined again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate_parts.h"
#include "qdiff/build.h"

enum { MOST_VALUES = 40, MOST_STEPS = 6, LONGEST = 96 };

struct value {
    char name[12];
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
    bool read;
};

struct maker {
    struct qd_builder *builder;
    struct qd_arena *arena;
    struct qd_random *random;
    int64_t opset;
    enum qd_dtype dtype;
    struct value values[MOST_VALUES];
    size_t count, constants;
    struct qd_error *error;
    enum qd_status status;
};

static int64_t draw(struct maker *m, int64_t min, int64_t max)
{
    return qd_random_range(m->random, min, max);
}

static bool one_in(struct maker *m, int64_t n)
{
    return draw(m, 1, n) == 1;
}

/* --- Numbers ------------------------------------------------------------------------------------- */

static double one_number(struct qd_random *random, int shape)
{
    double x = (double)qd_random_range(random, -1000, 1000) / 1000;
    switch (shape) {
    case 0: return fabs(x);
    case 1: return -fabs(x);
    case 2: return x * x * x;                      /* most are small */
    case 3: return copysign(exp2(rint(x * 6)), x); /* powers of two: ties */
    case 4: return 0;
    default: return x;
    }
}

/* Each index of axis 0 has its own size; now and then one is all zero, or far from the others. */
void qd_draw_floats(const struct qd_tensor *tensor, struct qd_random *random)
{
    static const double sizes[] = {1, 1, 1, 0.01, 100, 1e-6, 1e6, 1e-20, 1e15, 1e-40};
    int shape = (int)qd_random_range(random, 0, 12);
    double size = QD_RANDOM_PICK(random, sizes), own = 1;
    int64_t inner = tensor->rank > 0 && tensor->dims[0] > 0 ? tensor->count / tensor->dims[0] : 1;
    for (int64_t i = 0; i < tensor->count; i++) {
        if (i % inner == 0)
            own = qd_random_range(random, 0, 9) == 0 ? QD_RANDOM_PICK(random, sizes) / 4 : 1;
        double x = one_number(random, shape) * size * own;
        if (tensor->dtype == QD_F16)
            x = fmin(fmax(x, -1000), 1000);
        x = qd_float_round(tensor->dtype, QD_NEAREST_EVEN, x);
        qd_tensor_set(tensor, i, (int64_t)qd_float_encode(tensor->dtype, x, true));
    }
}

/* --- Values -------------------------------------------------------------------------------------- */

static struct value *add_value(struct maker *m, unsigned rank, const int64_t *dims)
{
    struct value *value = &m->values[m->count];
    *value = (struct value){.rank = rank};
    snprintf(value->name, sizeof value->name, "v%zu", m->count++);
    memcpy(value->dims, dims, rank * sizeof *dims);
    return value;
}

static void put_tensor(struct maker *m, const char *name, enum qd_dtype dtype, unsigned rank,
                       const int64_t *dims, bool is_input, const int64_t *integers)
{
    struct qd_tensor tensor;
    if (m->status == QD_OK)
        m->status = qd_tensor_init(&tensor, m->arena, dtype, rank, dims, m->error);
    if (m->status != QD_OK)
        return;
    for (int64_t i = 0; integers && i < tensor.count; i++)
        qd_tensor_set(&tensor, i, integers[i]);
    if (!integers)
        qd_draw_floats(&tensor, m->random);
    qd_build_tensor(m->builder, name, &tensor, is_input);
}

/* The name of a new constant, in `name`. */
static const char *constant(struct maker *m, char *name, unsigned rank, const int64_t *dims,
                            const int64_t *integers)
{
    snprintf(name, LONGEST, "c%zu", m->constants++);
    put_tensor(m, name, integers ? QD_S64 : m->dtype, rank, dims, false, integers);
    return name;
}

static void feed(struct maker *m)
{
    unsigned rank = (unsigned)draw(m, 2, 4);
    int64_t dims[] = {draw(m, 1, 2), draw(m, 1, 4), draw(m, 3, 6), draw(m, 3, 6)};
    dims[1] += rank == 2 ? 2 : 0;
    struct value *x = add_value(m, rank, dims);
    put_tensor(m, x->name, m->dtype, rank, dims, true, NULL);
}

/* --- Operators ----------------------------------------------------------------------------------- */

/* One operator on x; false where it does not apply. Its output has the shape `dims`. */
struct step {
    struct value *x;
    char inputs[LONGEST];
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
};

static void node(struct maker *m, const struct step *step, const char *op)
{
    char output[12];
    snprintf(output, sizeof output, "v%zu", m->count);
    qd_build_node(m->builder, "", op, step->inputs, output);
}

static void add_input(struct step *step, const char *name)
{
    size_t length = strlen(step->inputs);
    snprintf(step->inputs + length, LONGEST - length, ",%s", name);
}

static bool put_unary(struct maker *m, struct step *step)
{
    static const char *const ops[] = {"Relu",     "Relu",      "Sigmoid", "Abs",
                                      "Identity", "LeakyRelu", "Softmax"};
    const char *op = QD_RANDOM_PICK(m->random, ops);
    node(m, step, op);
    if (op[0] == 'L')
        qd_build_attr_float(m->builder, "alpha", 0.125F);
    if (strcmp(op, "Softmax") == 0)
        qd_build_attr_int(m->builder, "axis", step->rank - 1);
    return true;
}

static bool put_clip(struct maker *m, struct step *step)
{
    if (m->opset < 11 || m->dtype != QD_F32)
        return false;
    static const double ends[][2] = {{0, 6}, {0, 1}, {-1, 1}, {0.25, 0.5}};
    const double *two = QD_RANDOM_PICK(m->random, ends);
    for (int i = 0; i < 2; i++) {
        char name[LONGEST];
        struct qd_tensor bound;
        snprintf(name, sizeof name, "c%zu", m->constants++);
        if (qd_tensor_init(&bound, m->arena, m->dtype, 0, NULL, m->error) != QD_OK)
            return false;
        qd_tensor_set(&bound, 0, (int64_t)qd_float_encode(m->dtype, two[i], false));
        qd_build_initializer(m->builder, name, &bound);
        add_input(step, name);
    }
    node(m, step, "Clip");
    return true;
}

static bool put_transpose(struct maker *m, struct step *step)
{
    int64_t perm[QD_MAX_RANK];
    for (unsigned d = 0; d < step->rank; d++)
        perm[d] = d;
    unsigned a = (unsigned)draw(m, 0, step->rank - 1), b = (unsigned)draw(m, 0, step->rank - 1);
    perm[a] = b;
    perm[b] = a;
    step->dims[a] = step->x->dims[b];
    step->dims[b] = step->x->dims[a];
    node(m, step, "Transpose");
    qd_build_attr_ints(m->builder, "perm", perm, step->rank);
    return true;
}

static bool put_flatten(struct maker *m, struct step *step)
{
    int64_t axis = draw(m, 1, step->rank - 1), dims[2] = {1, 1};
    for (unsigned d = 0; d < step->rank; d++)
        dims[d >= axis] *= step->dims[d];
    step->rank = 2;
    memcpy(step->dims, dims, sizeof dims);
    node(m, step, "Flatten");
    qd_build_attr_int(m->builder, "axis", axis);
    return true;
}

static bool put_reshape(struct maker *m, struct step *step)
{
    char name[LONGEST];
    int64_t shape[] = {step->dims[0], -1}, two = 2, rest = 1;
    for (unsigned d = 1; d < step->rank; d++)
        rest *= step->dims[d];
    add_input(step, constant(m, name, 1, &two, shape));
    step->rank = 2;
    step->dims[1] = rest;
    node(m, step, "Reshape");
    return true;
}

static bool put_slice(struct maker *m, struct step *step)
{
    char name[LONGEST];
    int64_t axis = draw(m, 0, step->rank - 1), one = 1, zero = 0;
    int64_t end = draw(m, 1, step->dims[axis]);
    step->dims[axis] = end;
    add_input(step, constant(m, name, 1, &one, &zero));
    add_input(step, constant(m, name, 1, &one, &end));
    add_input(step, constant(m, name, 1, &one, &axis));
    node(m, step, "Slice");
    return true;
}

/* Whether b has the shape of the step, apart from the axis (−1: none). */
static bool fits(const struct step *step, const struct value *b, int64_t axis)
{
    bool same = b->rank == step->rank;
    for (unsigned d = 0; same && d < step->rank; d++)
        same = d == axis || b->dims[d] == step->dims[d];
    return same;
}

/* The other operand of Add, Mul and Concat: a value that fits, or a new constant. */
static const char *other_operand(struct maker *m, struct step *step, int64_t axis, char *name,
                                 int64_t *extent)
{
    if (one_in(m, 2))
        for (size_t i = m->count; i-- > 0;)
            if (fits(step, &m->values[i], axis) && !one_in(m, 3)) {
                m->values[i].read = true;
                *extent = axis < 0 ? 0 : m->values[i].dims[axis];
                return m->values[i].name;
            }
    int64_t dims[QD_MAX_RANK];
    memcpy(dims, step->dims, sizeof dims);
    if (axis < 0 && one_in(m, 2)) /* a bias along the last axis */
        return constant(m, name, 1, &dims[step->rank - 1], NULL);
    *extent = axis < 0 ? 0 : (dims[axis] = draw(m, 1, 2));
    return constant(m, name, step->rank, dims, NULL);
}

static bool put_binary(struct maker *m, struct step *step)
{
    static const char *const ops[] = {"Add", "Add", "Mul"};
    char name[LONGEST];
    int64_t ignored = 0;
    const char *other = other_operand(m, step, -1, name, &ignored);
    bool second = one_in(m, 2) && other[0] == 'v';
    snprintf(step->inputs, LONGEST, "%s,%s", second ? other : step->x->name,
             second ? step->x->name : other);
    node(m, step, QD_RANDOM_PICK(m->random, ops));
    return true;
}

static bool put_concat(struct maker *m, struct step *step)
{
    char name[LONGEST];
    int64_t axis = draw(m, 0, step->rank - 1), extent = 0;
    const char *other = other_operand(m, step, axis, name, &extent);
    bool first = one_in(m, 2);
    snprintf(step->inputs, LONGEST, "%s,%s", first ? other : step->x->name,
             first ? step->x->name : other);
    step->dims[axis] += extent;
    node(m, step, "Concat");
    qd_build_attr_int(m->builder, "axis", axis);
    return true;
}

static void add_constant(struct maker *m, struct step *step, unsigned rank, const int64_t *dims)
{
    char name[LONGEST];
    add_input(step, constant(m, name, rank, dims, NULL));
}

static bool put_matmul(struct maker *m, struct step *step)
{
    int64_t dims[] = {step->dims[step->rank - 1], draw(m, 1, 5)};
    add_constant(m, step, 2, dims);
    step->dims[step->rank - 1] = dims[1];
    node(m, step, "MatMul");
    return true;
}

static bool put_gemm(struct maker *m, struct step *step)
{
    static const float factors[] = {1, 1, 1, 0.5F, 2};
    bool transposed = one_in(m, 2);
    int64_t k = step->dims[1], n = draw(m, 1, 5), dims[] = {transposed ? n : k, transposed ? k : n};
    if (step->rank != 2 || m->opset < 11)
        return false;
    add_constant(m, step, 2, dims);
    if (!one_in(m, 3))
        add_constant(m, step, 1, &n);
    step->dims[1] = n;
    node(m, step, "Gemm");
    qd_build_attr_int(m->builder, "transB", transposed);
    qd_build_attr_float(m->builder, "alpha", QD_RANDOM_PICK(m->random, factors));
    qd_build_attr_float(m->builder, "beta", QD_RANDOM_PICK(m->random, factors));
    return true;
}

static bool put_conv(struct maker *m, struct step *step)
{
    int64_t channels = step->dims[1], made = draw(m, 1, 4), group = 1, dims[QD_MAX_RANK];
    if (step->rank < 3)
        return false;
    if (one_in(m, 3)) {
        group = channels;
        made = channels * draw(m, 1, 2);
    }
    dims[0] = made;
    dims[1] = channels / group;
    for (unsigned d = 2; d < step->rank; d++) {
        dims[d] = draw(m, 1, step->dims[d] < 3 ? step->dims[d] : 3);
        step->dims[d] -= dims[d] - 1;
    }
    add_constant(m, step, step->rank, dims);
    if (!one_in(m, 3))
        add_constant(m, step, 1, &made);
    step->dims[1] = made;
    node(m, step, "Conv");
    qd_build_attr_int(m->builder, "group", group);
    return true;
}

static bool put_pool(struct maker *m, struct step *step)
{
    static const char *const ops[] = {"MaxPool", "AveragePool", "GlobalAveragePool"};
    const char *op = QD_RANDOM_PICK(m->random, ops);
    int64_t kernel[2];
    if (step->rank != 4 || (op[0] == 'M' && m->opset < 12))
        return false;
    for (unsigned d = 2; d < 4; d++) {
        kernel[d - 2] = step->dims[d] < 2 || op[0] == 'G' ? step->dims[d] : 2;
        step->dims[d] -= kernel[d - 2] - 1;
    }
    node(m, step, op);
    if (op[0] != 'G')
        qd_build_attr_ints(m->builder, "kernel_shape", kernel, 2);
    return true;
}

static void grow(struct maker *m)
{
    static bool (*const puts[])(struct maker *, struct step *) = {
        put_unary,  put_unary,  put_clip,   put_transpose, put_flatten, put_reshape, put_slice,
        put_binary, put_binary, put_concat, put_concat,    put_matmul,  put_matmul,  put_gemm,
        put_gemm,   put_conv,   put_conv,   put_conv,      put_pool,
    };
    size_t at = one_in(m, 3) ? (size_t)draw(m, 0, (int64_t)m->count - 1) : m->count - 1;
    struct step step = {.x = &m->values[at], .rank = m->values[at].rank};
    memcpy(step.dims, step.x->dims, sizeof step.dims);
    snprintf(step.inputs, LONGEST, "%s", step.x->name);
    if (QD_RANDOM_PICK(m->random, puts)(m, &step)) {
        step.x->read = true;
        add_value(m, step.rank, step.dims);
    }
}

static void put_outputs(struct maker *m)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct value *value = &m->values[i];
        bool input = i == 0;
        if (!input && (!value->read || one_in(m, 8)))
            qd_build_output(m->builder, value->name, m->dtype, (int)value->rank, value->dims);
    }
}

enum qd_status qd_generate_float(struct qd_random *random, struct qd_arena *arena,
                                 struct qd_case *kase, struct qd_error *error)
{
    static const int64_t opsets[] = {13, 13, 13, 10, 11, 12, 14, 15, 17, 18, 19, 21};
    struct maker m = {.arena = arena, .random = random, .error = error};
    m.opset = QD_RANDOM_PICK(random, opsets);
    m.dtype = m.opset >= 19 && one_in(&m, 6) ? QD_F16 : QD_F32;
    m.builder = qd_build_begin(arena, m.opset);
    if (!m.builder)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a graph");
    feed(&m);
    for (int64_t steps = draw(&m, 1, MOST_STEPS); steps > 0 || m.count < 2; steps--)
        grow(&m);
    put_outputs(&m);
    return m.status == QD_OK ? qd_build_finish(m.builder, "fuzz", false, kase, error) : m.status;
}
