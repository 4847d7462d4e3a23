/* SPDX-License-Identifier: Apache-2.0 */
/* The reference's operators that move elements, MaxPool and ReduceMax, against the twin's, on small
 * random tensors and parameters. Alone: <build>/tests/reference/twin/movement_test;
 * QDIFF_TWIN_FACTOR=n runs n times as much. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "twin/twin.h"

struct problem {
    struct qd_arena arena;
    struct twin_random *random;
    struct twin_node node;
    int64_t ints[4][2 * QD_MAX_RANK]; /* attribute lists, which the node borrows */
};

static void start(struct problem *p, struct twin_random *random, const char *op_type, int64_t opset,
                  size_t outputs)
{
    p->random = random;
    qd_arena_init(&p->arena, QD_ARENA_DEFAULT_BUDGET);
    twin_node_init(&p->node, op_type, opset, outputs);
}

static void finish(struct problem *p, struct twin_tally *tally)
{
    struct twin_result want[TWIN_MAX_OUTPUTS];
    p->node.node.attrs = p->node.attrs;
    twin_move(&p->node.node, p->node.in, want);
    twin_check(&p->node, true, want, tally);
    for (size_t i = 0; i < p->node.node.output_count; i++)
        twin_result_clear(&want[i]);
    qd_arena_clear(&p->arena);
}

static int64_t between(struct problem *p, int64_t min, int64_t max)
{
    return twin_random_between(p->random, min, max);
}

/* Any bits, but for floats no NaN: MaxPool's edge case is tested by itself. */
static struct qd_tensor random_tensor(struct problem *p, enum qd_dtype dtype, unsigned rank,
                                      const int64_t *dims)
{
    struct qd_tensor tensor = twin_tensor(&p->arena, dtype, rank, dims);
    for (int64_t i = 0; i < tensor.count; i++) {
        uint64_t bits = twin_random_bits(p->random);
        twin_put(&tensor, i, dtype == QD_F32 ? bits & 0xbfffffff : bits);
    }
    return tensor;
}

/* Rank in [min_rank, max_rank], dimensions 1 to 4. */
static struct qd_tensor random_data(struct problem *p, unsigned min_rank, unsigned max_rank,
                                    bool small_types)
{
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_F32, QD_S32, QD_U4, QD_S4};
    int64_t dims[QD_MAX_RANK];
    unsigned rank = (unsigned)between(p, min_rank, max_rank);
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = between(p, 1, 4);
    return random_tensor(p, types[between(p, 0, small_types ? 5 : 3)], rank, dims);
}

/* Axis as the specification allows it: from the front or from the back. */
static int64_t random_axis(struct problem *p, unsigned rank)
{
    return between(p, -(int64_t)rank, (int64_t)rank - 1);
}

static void add_list(struct problem *p, const int64_t *values, int64_t count)
{
    struct qd_tensor list = twin_vector(&p->arena, QD_S64, count, values);
    twin_node_input(&p->node, &list);
}

static void shuffle(struct problem *p, int64_t *values, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = between(p, 0, i), kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}

static void run_identity(struct problem *p)
{
    struct qd_tensor x = random_data(p, 0, 4, true);
    twin_node_input(&p->node, &x);
}

static void run_transpose(struct problem *p)
{
    struct qd_tensor x = random_data(p, 0, 5, true);
    twin_node_input(&p->node, &x);
    if (x.rank == 0 || twin_random_one_in(p->random, 5))
        return;
    for (unsigned i = 0; i < x.rank; i++)
        p->ints[0][i] = i;
    shuffle(p, p->ints[0], x.rank);
    twin_node_ints(&p->node, "perm", p->ints[0], x.rank);
}

static void run_flatten(struct problem *p)
{
    struct qd_tensor x = random_data(p, 0, 4, true);
    twin_node_input(&p->node, &x);
    if (x.rank == 0 || !twin_random_one_in(p->random, 4))
        twin_node_int(&p->node, "axis", between(p, -(int64_t)x.rank, x.rank));
}

/* A shape made of x's dimensions, two neighbours joined; some entries 0 (copy), one −1 (infer). */
static void run_reshape(struct problem *p)
{
    struct qd_tensor x = random_data(p, 1, 4, true);
    int64_t shape[QD_MAX_RANK], count = 0;
    int64_t joined = between(p, 0, x.rank);
    for (unsigned axis = 0; axis < x.rank; axis++) {
        if (axis > 0 && axis == joined)
            shape[count - 1] *= x.dims[axis];
        else
            shape[count++] = x.dims[axis];
    }
    for (int64_t i = 0; i < count; i++)
        if (x.dims[i] == shape[i] && twin_random_one_in(p->random, 3))
            shape[i] = 0;
    if (twin_random_one_in(p->random, 2))
        shape[between(p, 0, count - 1)] = -1;
    twin_node_input(&p->node, &x);
    add_list(p, shape, count);
}

static void run_squeeze(struct problem *p)
{
    struct qd_tensor x = random_data(p, 0, 5, true);
    int64_t axes[QD_MAX_RANK], count = 0;
    twin_node_input(&p->node, &x);
    if (twin_random_one_in(p->random, 3))
        return;
    for (unsigned axis = 0; axis < x.rank; axis++)
        if (x.dims[axis] == 1 && twin_random_one_in(p->random, 2))
            axes[count++] = twin_random_one_in(p->random, 2) ? axis : (int64_t)axis - x.rank;
    shuffle(p, axes, count);
    add_list(p, axes, count);
}

static void run_unsqueeze(struct problem *p)
{
    struct qd_tensor x = random_data(p, 0, 4, true);
    int64_t axes[QD_MAX_RANK], count = between(p, 0, 3), rank = x.rank + count;
    for (int64_t i = 0; i < rank; i++)
        axes[i] = twin_random_one_in(p->random, 2) ? i : i - rank;
    shuffle(p, axes, rank);
    twin_node_input(&p->node, &x);
    add_list(p, axes, count);
}

static void run_concat(struct problem *p)
{
    struct qd_tensor x = random_data(p, 1, 4, false);
    int64_t axis = random_axis(p, x.rank), count = between(p, 1, 4), dims[QD_MAX_RANK];
    memcpy(dims, x.dims, sizeof dims);
    twin_node_input(&p->node, &x);
    for (int64_t k = 1; k < count; k++) {
        dims[axis < 0 ? axis + x.rank : axis] = between(p, 1, 3);
        struct qd_tensor next = random_tensor(p, x.dtype, x.rank, dims);
        twin_node_input(&p->node, &next);
    }
    twin_node_int(&p->node, "axis", axis);
}

/* Sizes given, or as many equal parts as there are outputs with a smaller last one. */
static void run_split(struct problem *p)
{
    struct qd_tensor x = random_data(p, 1, 4, false);
    int64_t axis = random_axis(p, x.rank), parts[3];
    int64_t size = x.dims[axis < 0 ? axis + x.rank : axis];
    twin_node_input(&p->node, &x);
    twin_node_int(&p->node, "axis", axis);
    int64_t count = (int64_t)p->node.node.output_count, part = (size + count - 1) / count;
    if (twin_random_one_in(p->random, 2) && part * (count - 1) <= size) {
        twin_node_int(&p->node, "num_outputs", count);
        return;
    }
    parts[0] = between(p, 0, size);
    parts[1] = count == 3 ? between(p, 0, size - parts[0]) : size - parts[0];
    parts[2] = size - parts[0] - parts[1];
    add_list(p, parts, count);
}

static void run_slice(struct problem *p)
{
    struct qd_tensor x = random_data(p, 1, 4, false);
    int64_t axes[QD_MAX_RANK], starts[QD_MAX_RANK], ends[QD_MAX_RANK], steps[QD_MAX_RANK];
    bool with_axes = twin_random_one_in(p->random, 2),
         with_steps = twin_random_one_in(p->random, 2);
    int64_t count = with_axes ? between(p, 0, x.rank) : x.rank;
    for (int64_t i = 0; i < x.rank; i++)
        axes[i] = i;
    if (with_axes)
        shuffle(p, axes, x.rank);
    for (int64_t i = 0; i < count; i++) {
        starts[i] = between(p, -6, 6);
        ends[i] = twin_random_one_in(p->random, 6) ? INT32_MAX : between(p, -6, 6);
        steps[i] = between(p, 1, 3) * (twin_random_one_in(p->random, 2) ? 1 : -1);
        if (!with_steps)
            steps[i] = 1;
        if (twin_random_one_in(p->random, 2) &&
            (ends[i] - starts[i]) * steps[i] < 0) { /* not empty */
            int64_t kept = starts[i];
            starts[i] = ends[i];
            ends[i] = kept;
        }
        if (steps[i] < 0 && twin_random_one_in(p->random, 6))
            ends[i] = INT32_MIN;
        if (twin_random_one_in(p->random, 2))
            axes[i] -= x.rank;
    }
    twin_node_input(&p->node, &x);
    add_list(p, starts, count);
    add_list(p, ends, count);
    if (with_axes)
        add_list(p, axes, count);
    else
        twin_node_input(&p->node, NULL);
    if (with_steps)
        add_list(p, steps, count);
}

static void run_gather(struct problem *p)
{
    struct qd_tensor x = random_data(p, 1, 3, false);
    int64_t axis = random_axis(p, x.rank), dims[QD_MAX_RANK];
    int64_t size = x.dims[axis < 0 ? axis + x.rank : axis];
    unsigned rank = (unsigned)between(p, 0, 2);
    for (unsigned i = 0; i < rank; i++)
        dims[i] = between(p, 1, 3);
    struct qd_tensor indices = twin_tensor(&p->arena, QD_S64, rank, dims);
    for (int64_t i = 0; i < indices.count; i++)
        twin_put(&indices, i, (uint64_t)between(p, -size, size - 1));
    twin_node_input(&p->node, &x);
    twin_node_input(&p->node, &indices);
    twin_node_int(&p->node, "axis", axis);
}

/* Entries of the asked shape are 1, the dimension itself, or anything where the dimension is 1. */
static void run_expand(struct problem *p)
{
    struct qd_tensor x = random_data(p, 0, 4, false);
    int64_t shape[QD_MAX_RANK], count = between(p, 0, 5);
    for (int64_t i = 0; i < count; i++) {
        int64_t from_end = count - i;
        int64_t mine = from_end <= x.rank ? x.dims[x.rank - from_end] : 1;
        shape[i] = mine == 1 ? between(p, 1, 3) : twin_random_one_in(p->random, 2) ? 1 : mine;
    }
    twin_node_input(&p->node, &x);
    add_list(p, shape, count);
}

/* Pads may be negative as long as something is left; only the mode `constant` crops here. */
static void run_pad(struct problem *p)
{
    static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
    struct qd_tensor x = random_data(p, 1, 3, false);
    const char *mode = modes[between(p, 0, 3)];
    int64_t axes[QD_MAX_RANK], pads[2 * QD_MAX_RANK], count = x.rank;
    bool with_axes = twin_random_one_in(p->random, 2);
    for (int64_t i = 0; i < x.rank; i++)
        axes[i] = twin_random_one_in(p->random, 2) ? i : i - x.rank;
    if (with_axes) {
        shuffle(p, axes, x.rank);
        count = between(p, 1, x.rank);
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t axis = with_axes ? (axes[k] + x.rank) % x.rank : k, extent = x.dims[axis];
        bool constant = strcmp(mode, "constant") == 0;
        int64_t most = strcmp(mode, "edge") == 0 || constant ? 3 : extent - 1;
        pads[k] = between(p, 0, most);
        pads[count + k] = between(p, 0, most);
        if (constant && extent > 1 && twin_random_one_in(p->random, 3))
            pads[k] = -between(p, 1, extent - 1);
    }
    struct qd_tensor constant = random_tensor(p, x.dtype, 0, NULL);
    twin_node_string(&p->node, "mode", mode);
    twin_node_input(&p->node, &x);
    add_list(p, pads, 2 * count);
    twin_node_input(&p->node, twin_random_one_in(p->random, 2) ? &constant : NULL);
    if (with_axes)
        add_list(p, axes, count);
}

static void run_tile(struct problem *p)
{
    struct qd_tensor x = random_data(p, 1, 4, false);
    int64_t repeats[QD_MAX_RANK];
    for (unsigned axis = 0; axis < x.rank; axis++)
        repeats[axis] = between(p, twin_random_one_in(p->random, 20) ? 0 : 1, 3);
    twin_node_input(&p->node, &x);
    add_list(p, repeats, x.rank);
}

static void run_depth_to_space(struct problem *p)
{
    int64_t b = between(p, 1, 3);
    const int64_t dims[] = {between(p, 1, 2), between(p, 1, 3) * b * b, between(p, 1, 3),
                            between(p, 1, 3)};
    struct qd_tensor x =
        random_tensor(p, twin_random_one_in(p->random, 2) ? QD_U8 : QD_F32, 4, dims);
    twin_node_input(&p->node, &x);
    twin_node_int(&p->node, "blocksize", b);
    if (!twin_random_one_in(p->random, 3))
        twin_node_string(&p->node, "mode", twin_random_one_in(p->random, 2) ? "DCR" : "CRD");
}

static void run_space_to_depth(struct problem *p)
{
    int64_t b = between(p, 1, 3);
    const int64_t dims[] = {between(p, 1, 2), between(p, 1, 3), between(p, 1, 3) * b,
                            between(p, 1, 3) * b};
    struct qd_tensor x =
        random_tensor(p, twin_random_one_in(p->random, 2) ? QD_S8 : QD_F32, 4, dims);
    twin_node_input(&p->node, &x);
    twin_node_int(&p->node, "blocksize", b);
}

/* Each operand has some of the dimensions of one shape, the others 1, leading ones perhaps gone. */
static void run_where(struct problem *p)
{
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_F32, QD_S32};
    enum qd_dtype dtype = types[between(p, 0, 3)];
    int64_t dims[4];
    for (int axis = 0; axis < 4; axis++)
        dims[axis] = between(p, 1, 3);
    for (int operand = 0; operand < 3; operand++) {
        int64_t mine[4];
        unsigned skipped = (unsigned)between(p, 0, 4);
        for (unsigned axis = skipped; axis < 4; axis++)
            mine[axis - skipped] = twin_random_one_in(p->random, 3) ? 1 : dims[axis];
        struct qd_tensor x = random_tensor(p, operand ? dtype : QD_U8, 4 - skipped, mine);
        for (int64_t i = 0; i < x.count && operand == 0; i++)
            twin_put(&x, i, twin_random_bits(p->random) & 1);
        x.dtype = operand ? dtype : QD_BOOL;
        twin_node_input(&p->node, &x);
    }
}

static void run_reduce_max(struct problem *p)
{
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_F32};
    struct qd_tensor x = random_data(p, 0, 4, false);
    x = random_tensor(p, types[between(p, 0, 2)], x.rank, x.dims);
    int64_t axes[QD_MAX_RANK], count = 0;
    for (unsigned axis = 0; axis < x.rank; axis++)
        if (twin_random_one_in(p->random, 2))
            axes[count++] = twin_random_one_in(p->random, 2) ? axis : (int64_t)axis - x.rank;
    shuffle(p, axes, count);
    twin_node_input(&p->node, &x);
    if (count > 0 || twin_random_one_in(p->random, 2))
        add_list(p, axes, count);
    if (twin_random_one_in(p->random, 2))
        twin_node_int(&p->node, "keepdims", twin_random_one_in(p->random, 2));
    if (twin_random_one_in(p->random, 2))
        twin_node_int(&p->node, "noop_with_empty_axes", twin_random_one_in(p->random, 2));
}

/* Before opset 22 the specification has ceil_mode even where the last window would lie in the
 * padding alone; no answer is defined then. */
static bool ceil_mode_is_defined(const struct problem *p, unsigned spatial, const int64_t *in)
{
    for (unsigned axis = 0; axis < spatial; axis++) {
        int64_t extent = (p->ints[0][axis] - 1) * p->ints[2][axis] + 1, stride = p->ints[1][axis];
        int64_t room = in[axis] + p->ints[3][axis] + p->ints[3][axis + spatial] - extent;
        int64_t last = (room + stride - 1) / stride * stride; /* where the last window starts */
        if (p->node.node.opset < 22 && last >= in[axis] + p->ints[3][axis])
            return false;
    }
    return true;
}

/* Pads smaller than the kernel; the kernel fits into the padded input. */
static void run_max_pool(struct problem *p)
{
    static const char *const auto_pads[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
    static const enum qd_dtype types[] = {QD_U8, QD_S8, QD_F32};
    unsigned spatial = (unsigned)between(p, 1, 3);
    int64_t dims[QD_MAX_RANK] = {between(p, 1, 2), between(p, 1, 2)};
    int64_t *kernel = p->ints[0], *strides = p->ints[1], *dilations = p->ints[2],
            *pads = p->ints[3];
    const char *auto_pad = auto_pads[between(p, 0, 3)];
    for (unsigned axis = 0; axis < spatial; axis++) {
        kernel[axis] = between(p, 1, 3);
        strides[axis] = between(p, 1, 3);
        dilations[axis] = between(p, 1, 2);
        pads[axis] = between(p, 0, kernel[axis] - 1);
        pads[axis + spatial] = between(p, 0, kernel[axis] - 1);
        int64_t extent = (kernel[axis] - 1) * dilations[axis] + 1;
        dims[2 + axis] = between(p, extent, extent + 4);
    }
    struct qd_tensor x = random_tensor(p, types[between(p, 0, 2)], 2 + spatial, dims);
    twin_node_input(&p->node, &x);
    twin_node_ints(&p->node, "kernel_shape", kernel, spatial);
    twin_node_ints(&p->node, "strides", strides, spatial);
    twin_node_ints(&p->node, "dilations", dilations, spatial);
    if (strcmp(auto_pad, "NOTSET") == 0)
        twin_node_ints(&p->node, "pads", pads, 2 * (size_t)spatial);
    else
        twin_node_string(&p->node, "auto_pad", auto_pad);
    if (twin_random_one_in(p->random, 2) && ceil_mode_is_defined(p, spatial, dims + 2))
        twin_node_int(&p->node, "ceil_mode", 1);
}

/* Every operator, its opset and a maker of random nodes. */
static const struct row {
    const char *op_type;
    int64_t opset;
    void (*run)(struct problem *p);
} rows[] = {
    {"Identity", 21, run_identity},
    {"Transpose", 21, run_transpose},
    {"Flatten", 21, run_flatten},
    {"Reshape", 21, run_reshape},
    {"Squeeze", 21, run_squeeze},
    {"Unsqueeze", 21, run_unsqueeze},
    {"Concat", 13, run_concat},
    {"Split", 18, run_split},
    {"Slice", 13, run_slice},
    {"Gather", 13, run_gather},
    {"Expand", 13, run_expand},
    {"MaxPool", 12, run_max_pool},
    {"MaxPool", 22, run_max_pool},
    {"Pad", 21, run_pad},
    {"Tile", 13, run_tile},
    {"DepthToSpace", 13, run_depth_to_space},
    {"SpaceToDepth", 13, run_space_to_depth},
    {"Where", 16, run_where},
    {"ReduceMax", 20, run_reduce_max},
};

static void every_operator(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct twin_random random = {81 + r};
        struct twin_tally tally = {0};
        for (int64_t i = 0; i < twin_rounds(1500); i++) {
            struct problem p;
            bool split = strcmp(rows[r].op_type, "Split") == 0;
            size_t outputs = split ? (size_t)twin_random_between(&random, 2, 3) : 1;
            start(&p, &random, rows[r].op_type, rows[r].opset, outputs);
            rows[r].run(&p);
            finish(&p, &tally);
        }
        twin_tally_print(rows[r].op_type, &tally);
        assert_true(tally.slack == 0 && tally.unspecified * 2 < tally.elements);
    }
}

/* The comparison can fail: another permutation of the same shape must be noticed. */
static void a_wrong_permutation_is_caught(void **state)
{
    (void)state;
    static const int64_t dims[] = {3, 3, 3}, right[] = {1, 2, 0}, wrong[] = {2, 0, 1};
    struct twin_random random = {80};
    struct problem p;
    struct twin_result want;
    struct qd_value have;
    struct qd_error error = {0};
    struct twin_tally tally = {0};
    char text[400];
    start(&p, &random, "Transpose", 13, 1);
    struct qd_tensor x = random_tensor(&p, QD_U8, 3, dims);
    twin_node_input(&p.node, &x);
    twin_node_ints(&p.node, "perm", right, 3);
    p.node.node.attrs = p.node.attrs;
    twin_move(&p.node.node, p.node.in, &want);
    p.node.attrs[0].ints = wrong;
    assert_int_equal(twin_node_evaluate(&p.node, false, NULL, &p.arena, &have, &error), QD_OK);
    assert_false(twin_compare(&want, &have, &tally, text, sizeof text));
    twin_result_clear(&want);
    qd_arena_clear(&p.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator),
        cmocka_unit_test(a_wrong_permutation_is_caught),
    };
    return cmocka_run_group_tests_name("twin_movement", tests, NULL, NULL);
}
