/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and shapes of an operator's operands, by the layout that its row says. */
#include <string.h>

#include "derived/derived.h"

unsigned qd_derived_level(const struct qd_derived_draft *d, enum qd_derived_kind kind, int which)
{
    int factor = qd_derived_factor(d->outline, kind, which);
    return factor < 0 ? 0 : d->row[factor];
}

const char *qd_derived_word(const struct qd_derived_draft *d, enum qd_derived_kind kind, int which)
{
    int factor = qd_derived_factor(d->outline, kind, which);
    return factor < 0 ? "" : d->outline->factors[factor].words[d->row[factor]];
}

/* Tiles of kernels; which one a case is about follows from its row. Those of 4 are among the small extents. */
static int64_t tile_of(const struct qd_derived_draft *d, int i)
{
    static const int64_t tiles[] = {8, 16, 32, 64};
    unsigned sum = (unsigned)i;
    for (unsigned f = 0; f < d->outline->count; f++)
        sum += d->row[f] * (2 * f + 1);
    return tiles[sum % 4];
}

/* Small, and different from each other. */
static int64_t base_extent(enum qd_derived_layout layout, int i)
{
    static const int64_t images[] = {2, 3, 6, 6, 3}, filters[] = {2, 3, 4, 6, 3},
                         matrices[] = {3, 7, 4, 0, 0};
    return layout >= QD_LAYOUT_MATMUL ? matrices[i]
           : layout >= QD_LAYOUT_CONV ? filters[i]
                                      : images[i];
}

/* Of a probe: as large as its relation to windows asks for. */
static int64_t small_extent(unsigned level, bool windowed)
{
    static const int64_t sizes[][9] = {{0, 1, 2, 5, 3, 4, 5, 4, 5}, {0, 1, 2, 5, 7, 8, 9, 11, 12}};
    return sizes[windowed][level];
}

int64_t qd_derived_extent(const struct qd_derived_draft *d, int i)
{
    enum { LONGER_KERNEL = 7 };
    enum { BASE, ONE, TWO, FIVE, BELOW, TILE, ABOVE, HUNDRED, MANY };
    static const int64_t plain[] = {[ONE] = 1, 2, 5, [HUNDRED] = 103, 257};
    bool equal = qd_derived_level(d, QD_DERIVED_EQUAL, 0);
    int64_t alone = qd_derived_alone_extent(d, i);
    bool window = i == (d->outline->layout == QD_LAYOUT_CHANNELS ? 2 : 3);
    if (alone >= 0)
        return alone;
    if (equal && i != 4)
        i = 1;
    unsigned level = qd_derived_level(d, QD_DERIVED_EXTENT, i);
    if (i == 4 && level > FIVE)
        return LONGER_KERNEL;
    if (level == BASE)
        return window && qd_derived_level(d, QD_DERIVED_EXTENT, 4) > FIVE
                   ? LONGER_KERNEL + 2
                   : base_extent(d->outline->layout, i);
    if (d->small)
        return small_extent(level, equal || window);
    return level >= BELOW && level <= ABOVE ? tile_of(d, i) + (int)level - TILE : plain[level];
}

int64_t qd_derived_kernel(const struct qd_derived_draft *d, size_t i, size_t axes)
{
    bool long_one =
        qd_derived_is_alone(d, "long_kernel") ||
        (qd_derived_is_alone(d, "long_window") && d->outline->layout == QD_LAYOUT_CHANNELS);
    if (long_one && i + 1 == axes)
        return QD_DERIVED_LONG + 1;
    return qd_derived_extent(d, 4) + (qd_derived_is_alone(d, "uneven") ? (int64_t)(i % 2) : 0);
}

static void set(struct qd_derived_shape *shape, unsigned rank, const int64_t *dims)
{
    shape->rank = rank;
    memcpy(shape->dims, dims, rank * sizeof *dims);
}

/* --- Any rank ------------------------------------------------------------------------------------- */

/* Of the axes between those that are factors: different from each other, or all the same. */
static int64_t inner_extent(const struct qd_derived_draft *d, int64_t otherwise)
{
    int64_t same = qd_derived_extent(d, 1);
    if (qd_derived_is_square(d))
        return same;
    if (!qd_derived_level(d, QD_DERIVED_EQUAL, 0))
        return otherwise;
    return same <= 5 ? same : 2;
}

/* The first and the last extent are factors; those between become 1 where the tensor would be too large. */
static struct qd_derived_shape any_shape(const struct qd_derived_draft *d)
{
    struct qd_derived_shape shape = {.rank = d->rank};
    if (qd_derived_alone_shape(d, &shape))
        return shape;
    double elements = (double)qd_derived_extent(d, 0) * (double)qd_derived_extent(d, 1);
    for (unsigned i = 0; i < d->rank; i++) {
        int64_t inner = inner_extent(d, i % 2 ? 2 : 4);
        bool last = i + 1 == d->rank, between = i > 0 && !last;
        if (between && elements * (double)inner > QD_DERIVED_MOST_ELEMENTS)
            inner = 1;
        elements *= between ? (double)inner : 1;
        shape.dims[i] = between ? inner : qd_derived_extent(d, last);
    }
    return shape;
}

/* The second operand's shape: [0] as the first, or what broadcasts to it or beyond it. */
static struct qd_derived_shape second_shape(const struct qd_derived_draft *d, const char *word)
{
    struct qd_derived_shape s = d->shapes[0];
    if (qd_derived_is_alone(d, "channels_square"))
        return (struct qd_derived_shape){3, {s.dims[1], 1, 1}};
    if (strcmp(word, "w_0d") == 0)
        s.rank = 0;
    if (strcmp(word, "w_last") == 0 && s.rank > 0)
        s = (struct qd_derived_shape){1, {s.dims[s.rank - 1]}};
    if (strcmp(word, "w_first") == 0 || strcmp(word, "w_ones") == 0 ||
        strcmp(word, "both_broadcast") == 0)
        for (unsigned i = strcmp(word, "w_ones") == 0 ? 0 : 1; i < s.rank; i++)
            s.dims[i] = 1;
    if (strcmp(word, "w_more_axes") == 0 && s.rank < 6) {
        memmove(s.dims + 1, s.dims, s.rank++ * sizeof *s.dims);
        s.dims[0] = 2;
    }
    return s;
}

/* Along axis 0 of both: where a node moves that, the parameters do not go with it. */
static void give_channels(struct qd_derived_draft *d)
{
    d->channels[QD_DERIVED_X] = d->channels[QD_DERIVED_Y] = d->shapes[0].dims[0];
    d->channel_axis[QD_DERIVED_X] = d->channel_axis[QD_DERIVED_Y] = 0;
}

static void lay_out_any(struct qd_derived_draft *d)
{
    const struct qd_op *op = d->outline->op;
    const char *word = qd_derived_word(d, QD_DERIVED_SHAPES, 0);
    int data = -1;
    for (unsigned i = 0; i < d->inputs; i++) {
        size_t length;
        const char *name = qd_op_operand_name(op, i, &length);
        enum qd_role role = qd_op_role(op, i);
        if (role != QD_ROLE_DATA && role != QD_ROLE_WEIGHT)
            continue;
        d->shapes[i] = ++data == 0 ? any_shape(d) : second_shape(d, data % 2 ? word : "");
        if (data == 0 && i > 0)
            d->shapes[0] = d->shapes[i]; /* the second one is derived of it */
        if (length == 14 && strncmp(name, "constant_value", length) == 0)
            d->shapes[i].rank = 0;
        if (data == 0 && strcmp(word, "both_broadcast") == 0 && d->rank > 1)
            d->shapes[i].dims[0] = 1;
    }
    if (strcmp(word, "both_broadcast") == 0 && d->rank > 1)
        for (unsigned i = 1; i < d->inputs; i++)
            if (d->shapes[i].rank > 1 && d->shapes[i].dims[1] == 1 &&
                qd_op_role(op, i) != QD_ROLE_CONTROL)
                d->shapes[i].dims[0] = qd_derived_extent(d, 0);
    if (qd_derived_is_alone(d, "per_axis"))
        give_channels(d);
}

static void lay_out_join(struct qd_derived_draft *d)
{
    int64_t axis = qd_derived_int(d, "axis", 0), part = 0;
    axis += axis < 0 ? d->rank : 0;
    for (unsigned i = 0; i < d->inputs; i++) {
        if (qd_op_role(d->outline->op, i) != QD_ROLE_DATA)
            continue;
        d->shapes[i] = any_shape(d);
        if (axis >= 0 && axis < d->rank && !qd_derived_level(d, QD_DERIVED_EQUAL, 0))
            d->shapes[i].dims[axis] += part % 4;
        if (part == 1 && qd_derived_is_alone(d, "empty_2"))
            d->shapes[i].dims[0] = 0;
        part++;
    }
}

/* --- Channels and windows ------------------------------------------------------------------------- */

static unsigned channel_place(const struct qd_derived_draft *d)
{
    return qd_derived_int(d, "channels_last", 0) == 1 && d->rank > 1 ? d->rank - 1 : 1;
}

/* [N, C, …, D] or [N, …, D, C]; the axes before D are not much larger than the windows, and no two are equal. */
static struct qd_derived_shape image(const struct qd_derived_draft *d, int64_t channels,
                                     int64_t size)
{
    struct qd_derived_shape shape = {.rank = d->rank, .dims = {qd_derived_extent(d, 0)}};
    unsigned place = channel_place(d), last = place == d->rank - 1 ? d->rank - 2 : d->rank - 1;
    bool equal = qd_derived_level(d, QD_DERIVED_EQUAL, 0);
    int64_t side = qd_derived_alone_side(d);
    int64_t block = qd_derived_has_attribute(d->outline->op, "blocksize")
                        ? qd_derived_int(d, "blocksize", 1)
                        : 1;
    for (unsigned i = 1; i < d->rank; i++)
        shape.dims[i] = i == place           ? channels * block * block
                        : i == last || equal ? size * block
                                             : (side > 0 ? side : 4 + i) * block;
    return shape;
}

static void lay_out_channels(struct qd_derived_draft *d)
{
    int64_t channels = qd_derived_extent(d, 1);
    d->shapes[0] = image(d, channels, qd_derived_extent(d, 2));
    for (unsigned i = 1; i < d->inputs; i++)
        if (qd_op_role(d->outline->op, i) == QD_ROLE_DATA ||
            qd_op_role(d->outline->op, i) == QD_ROLE_BIAS)
            set(&d->shapes[i], 1, &channels);
    if (d->outline->op->form == QD_FORM_MEAN)
        d->terms = 1; /* a mean is as large as its terms */
}

static void lay_out_conv(struct qd_derived_draft *d, bool back)
{
    const struct qd_op *op = d->outline->op;
    int64_t group = qd_derived_int(d, "group", 1), c = qd_derived_extent(d, 1),
            m = qd_derived_extent(d, 2);
    int w = qd_op_operand(op, QD_ROLE_WEIGHT), b = qd_op_operand(op, QD_ROLE_BIAS);
    int64_t filters[QD_MAX_RANK] = {back ? c * group : m * group, back ? m : c},
            outputs = m * group;
    d->terms = c;
    for (unsigned i = 2; i < d->rank; i++)
        d->terms *= filters[i] = qd_derived_kernel(d, i - 2, d->rank - 2);
    d->shapes[0] = image(d, c * group, qd_derived_extent(d, 3));
    set(&d->shapes[w], d->rank, filters);
    if (b >= 0)
        set(&d->shapes[b], 1, &outputs);
    d->channels[QD_DERIVED_W] = back ? filters[1] : outputs;
    d->channel_axis[QD_DERIVED_W] = back;
}

/* --- Matrices ------------------------------------------------------------------------------------- */

static unsigned put_matrix(const struct qd_derived_draft *d, int64_t *dims, unsigned rank,
                           int64_t rows, int64_t columns)
{
    static const int64_t batch[] = {2, 3};
    for (unsigned i = 0; i + 2 < rank; i++)
        dims[i] = inner_extent(d, batch[(rank + i) % 2]);
    if (rank > 1)
        dims[rank - 2] = rows;
    dims[rank - 1] = columns;
    return rank;
}

static void lay_out_matmul(struct qd_derived_draft *d)
{
    int64_t m = qd_derived_extent(d, 0), k = qd_derived_extent(d, 1), n = qd_derived_extent(d, 2);
    const char *word = qd_derived_word(d, QD_DERIVED_SHAPES, 0);
    int w = qd_op_operand(d->outline->op, QD_ROLE_WEIGHT),
        b = qd_op_operand(d->outline->op, QD_ROLE_BIAS);
    struct qd_derived_shape *weight = &d->shapes[w];
    unsigned rank = d->rank < 2 ? 2 : d->rank;
    d->shapes[0].rank = put_matrix(d, d->shapes[0].dims, d->rank, m, k);
    rank = strcmp(word, "w_matrix") == 0 ? 2 : strcmp(word, "w_more_axes") == 0 ? rank + 1 : rank;
    weight->rank = put_matrix(d, weight->dims, rank, k, n);
    if (strcmp(word, "w_more_axes") == 0 && rank > 3) /* those behind it are the first operand's */
        memcpy(weight->dims + 1, d->shapes[0].dims, (rank - 3) * sizeof k);
    if (strcmp(word, "w_batch_1") == 0 && rank > 2)
        weight->dims[0] = 1;
    if (strcmp(word, "w_vector") == 0 || qd_derived_is_alone(d, "empty_last"))
        set(weight, 1, &k);
    if (qd_derived_is_alone(d, "both_batches"))
        d->shapes[0].dims[1] = weight->dims[0] = 1;
    if (b >= 0)
        set(&d->shapes[b], 1, &n);
    d->terms = k;
    d->channels[QD_DERIVED_X] = d->rank == 2 ? m : 0;
    d->channels[QD_DERIVED_W] = weight->rank > 1 ? n : 0;
    d->channel_axis[QD_DERIVED_W] = (int64_t)weight->rank - 1;
}

/* What broadcasts to [m, m]. */
static void set_square_bias(const struct qd_derived_draft *d, struct qd_derived_shape *bias,
                            int64_t m)
{
    bool column = qd_derived_is_alone(d, "c_column"), row = qd_derived_is_alone(d, "c_row");
    set(bias, qd_derived_is_alone(d, "c_0d") ? 0 : 2,
        (const int64_t[]){row ? 1 : m, column ? 1 : m});
}

static void lay_out_gemm(struct qd_derived_draft *d)
{
    int64_t m = qd_derived_extent(d, 0), k = qd_derived_extent(d, 1), n = qd_derived_extent(d, 2);
    int w = qd_op_operand(d->outline->op, QD_ROLE_WEIGHT),
        b = qd_op_operand(d->outline->op, QD_ROLE_BIAS);
    bool a_turned = qd_derived_int(d, "transA", 0), b_turned = qd_derived_int(d, "transB", 0);
    set(&d->shapes[0], 2, (const int64_t[]){a_turned ? k : m, a_turned ? m : k});
    set(&d->shapes[w], 2, (const int64_t[]){b_turned ? n : k, b_turned ? k : n});
    set(&d->shapes[b], 1, &n);
    if (qd_derived_is_square(d))
        set_square_bias(d, &d->shapes[b], m);
    d->terms = k;
    d->channels[QD_DERIVED_W] = n;
    d->channel_axis[QD_DERIVED_W] = !b_turned;
}

/* Weights of `bits` bits in blocks along K; MatMulNBits, Inputs. */
static void lay_out_nbits(struct qd_derived_draft *d)
{
    int64_t m = qd_derived_extent(d, 0), k = qd_derived_extent(d, 1), n = qd_derived_extent(d, 2);
    int64_t block = qd_derived_int(d, "block_size", 16), bits = qd_derived_int(d, "bits", 4);
    int64_t blocks = block > 0 ? (k + block - 1) / block : 1;
    const int64_t shapes[][3] = {
        {0}, {n, blocks, block * bits / 8}, {n, blocks}, {n, (blocks * bits + 7) / 8}, {k}, {n}};
    static const unsigned ranks[] = {0, 3, 2, 2, 1, 1};
    d->shapes[0].rank = put_matrix(d, d->shapes[0].dims, d->rank, m, k);
    for (unsigned i = 1; i < d->inputs && i < 6; i++)
        set(&d->shapes[i], ranks[i], shapes[i]);
    d->terms = k;
}

void qd_derived_lay_out(struct qd_derived_draft *d)
{
    d->terms = 1;
    switch (d->outline->layout) {
    case QD_LAYOUT_ANY: lay_out_any(d); break;
    case QD_LAYOUT_JOIN: lay_out_join(d); break;
    case QD_LAYOUT_CHANNELS: lay_out_channels(d); break;
    case QD_LAYOUT_CONV: lay_out_conv(d, false); break;
    case QD_LAYOUT_CONV_BACK: lay_out_conv(d, true); break;
    case QD_LAYOUT_MATMUL: lay_out_matmul(d); break;
    case QD_LAYOUT_GEMM: lay_out_gemm(d); break;
    case QD_LAYOUT_NBITS: lay_out_nbits(d); break;
    }
    if (d->terms == 0) /* the scales of a sum of nothing are those of a sum of one */
        d->terms = 1;
}
