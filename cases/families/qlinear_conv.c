/* SPDX-License-Identifier: Apache-2.0 */
/* QLinearConv: every combination of three features, times the value families of conv_values.c.
 *
 * smoke       pairs of features, three value families each; deep sums
 * full        triples of features, every value family each, two draws of numbers
 * exhaustive  the same with eight draws */
#include <stdio.h>
#include <string.h>

#include "families/conv_draft.h"
#include "families/qlinear_conv.h"
#include "qdiff/build.h"
#include "qdiff/covering.h"
#include "qdiff/suite.h"

#define ATTEMPTS 64
#define FULL_DRAWS 2
#define EXHAUSTIVE_DRAWS 8

static const struct qd_factor factors[] = {
    [QD_CONV_TYPES] = {.name = "types", .levels = 8}, /* bit 0: x is s8, 1: w, 2: y */
    [QD_CONV_RANK] = {.name = "rank", QD_LEVELS("1d", "2d", "3d")},
    [QD_CONV_GROUP] = {.name = "group", QD_LEVELS(NULL, "groups", "depthwise", "multiplier")},
    [QD_CONV_W_SHAPE] = {.name = "w parameters", QD_LEVELS(NULL, "wm")},
    [QD_CONV_W_ZERO] = {.name = "w_zero_point",
                        QD_LEVELS("wz_0", "wz", "wz_distinct", "wz_straddle", "wz_ends")},
    [QD_CONV_X_SHAPE] = {.name = "none", .levels = 1}, /* scalars */
    [QD_CONV_X_ZERO] = {.name = "x_zero_point", QD_LEVELS("xz_mid", "xz_min", "xz_max", "xz")},
    [QD_CONV_Y_ZERO] = {.name = "y_zero_point", QD_LEVELS("yz_even", "yz_odd", "yz_min", "yz_max")},
    [QD_CONV_KERNEL] = {.name = "kernel", QD_LEVELS("k3", "k1", "k2", "k_mixed")},
    [QD_CONV_PADS] = {.name = "pads",
                      QD_LEVELS(NULL, "pads", "pads_asym", "same_upper", "same_lower", "valid")},
    [QD_CONV_STRIDE] = {.name = "strides", QD_LEVELS(NULL, "s2", "s_mixed")},
    [QD_CONV_DILATION] = {.name = "dilations", QD_LEVELS(NULL, "d2", "d_mixed")},
    [QD_CONV_BIAS] = {.name = "bias", QD_LEVELS(NULL, "bias")},
    [QD_CONV_BINDING] = {.name = "run-time inputs",
                         QD_LEVELS(NULL, "run_params", "run_weights", "run_all")},
    [QD_CONV_BATCH] = {.name = "batch", QD_LEVELS(NULL, "n2")},
    [QD_CONV_SIZE] = {.name = "size", QD_LEVELS(NULL, "wide")},
};

/* Zero points that differ need a vector. */
static const struct qd_exclusion exclusions[] = {
    {{QD_CONV_W_SHAPE, QD_CONV_W_ZERO}, {0x1, 0xc}},
};

const struct qd_factor_table qd_qlinear_conv_table = {factors, QD_CONV_FACTORS, exclusions,
                                                      sizeof exclusions / sizeof *exclusions};

/* ---- From a row to a draft ------------------------------------------------------------------- */

static void set_channels(struct qd_conv_draft *d, const uint8_t *row)
{
    /* group, channels, filters: of a small and of a wide case (beyond one vector register, not a
     * multiple of it) */
    static const int64_t sizes[4][2][3] = {
        {{1, 2, 3}, {1, 9, 17}},
        {{2, 4, 4}, {2, 16, 18}},
        {{3, 3, 3}, {17, 17, 17}},
        {{2, 2, 4}, {9, 9, 18}},
    };
    const int64_t *size = sizes[row[QD_CONV_GROUP]][row[QD_CONV_SIZE]];
    d->group = size[0];
    d->channels = size[1];
    d->filters = size[2];
    d->batch = row[QD_CONV_BATCH] + 1;
}

static void set_kernel(struct qd_conv_draft *d, const uint8_t *row)
{
    static const int64_t kernels[4][3] = {{3, 3, 3}, {1, 1, 1}, {2, 2, 2}, {2, 3, 1}};
    static const int64_t steps[3][3] = {{1, 1, 1}, {2, 2, 2}, {1, 2, 1}};
    d->spatial = row[QD_CONV_RANK] + 1U;
    memcpy(d->kernel, kernels[row[QD_CONV_KERNEL]], sizeof d->kernel);
    memcpy(d->stride, steps[row[QD_CONV_STRIDE]], sizeof d->stride);
    memcpy(d->dilation, steps[row[QD_CONV_DILATION]], sizeof d->dilation);
    if (d->spatial == 1) { /* one axis cannot be mixed: 3 instead */
        d->stride[0] = row[QD_CONV_STRIDE] == 2 ? 3 : d->stride[0];
        d->dilation[0] = row[QD_CONV_DILATION] == 2 ? 3 : d->dilation[0];
    }
}

/* The padding that SAME_UPPER and SAME_LOWER ask for. */
static void pad_same(struct qd_conv_draft *d, unsigned i, bool upper)
{
    int64_t out = (d->in[i] + d->stride[i] - 1) / d->stride[i];
    int64_t total = (out - 1) * d->stride[i] + qd_draft_span(d, i) - d->in[i];
    total = total > 0 ? total : 0;
    d->pad_begin[i] = upper ? total / 2 : total - total / 2;
    d->pad_end[i] = total - d->pad_begin[i];
}

static void set_extent(struct qd_conv_draft *d, const uint8_t *row, struct qd_random *r)
{
    static const int64_t least[3][2] = {{6, 19}, {4, 9}, {3, 4}};
    uint8_t pads = row[QD_CONV_PADS];
    d->plane = 1;
    for (unsigned i = 0; i < d->spatial; i++) {
        int64_t size = least[row[QD_CONV_RANK]][row[QD_CONV_SIZE]];
        size = size < qd_draft_span(d, i) ? qd_draft_span(d, i) : size;
        d->in[i] = size + qd_random_range(r, 0, d->spatial == 3 ? 1 : 2);
        d->pad_begin[i] = pads == 1 ? 1 : pads == 2 ? qd_random_range(r, 0, 1) : 0;
        d->pad_end[i] = pads == 1 ? 1 : pads == 2 ? 2 - d->pad_begin[i] : 0;
        if (pads == 3 || pads == 4)
            pad_same(d, i, pads == 3);
        int64_t padded = d->in[i] + d->pad_begin[i] + d->pad_end[i];
        d->out[i] = (padded - qd_draft_span(d, i)) / d->stride[i] + 1;
        d->plane *= d->out[i];
    }
}

static int64_t middle(enum qd_dtype dtype)
{
    return dtype == QD_U8 ? 128 : 0;
}

static void set_x_zero(struct qd_conv_draft *d, const uint8_t *row, struct qd_random *r)
{
    const struct qd_dtype_info *x = qd_dtype_info(d->x_type);
    const int64_t zeros[] = {middle(d->x_type), x->min, x->max,
                             qd_random_range(r, x->min + 1, x->max - 1)};
    d->x_zero = zeros[row[QD_CONV_X_ZERO]];
}

static void set_y_zero(struct qd_conv_draft *d, const uint8_t *row, struct qd_random *r)
{
    const struct qd_dtype_info *y = qd_dtype_info(d->y_type);
    int64_t even = middle(d->y_type) + 2 * qd_random_range(r, -30, 30);
    const int64_t zeros[] = {even, even + 1, y->min, y->max};
    d->y_zero = zeros[row[QD_CONV_Y_ZERO]];
}

/* w_zero_point of filter m: the code 0; one that is not 0; all different; around the middle of
 * the range, where a sign bit is misread; both ends. */
static void set_w_zeros(struct qd_conv_draft *d, const uint8_t *row, struct qd_random *r)
{
    const struct qd_dtype_info *w = qd_dtype_info(d->w_type);
    int64_t some = qd_random_range(r, 1, 120), end = (int64_t)(qd_random_next(r) % 2);
    d->per_channel = row[QD_CONV_W_SHAPE] == 1;
    for (int64_t m = 0; m < d->filters; m++) {
        const int64_t zeros[] = {
            0,
            d->w_type == QD_S8 && end ? -some : some,
            w->min + (some + 37 * m) % 256,
            128 + w->min + (m % 2 ? m / 2 : -1 - m / 2),
            (m + end) % 2 ? w->max : w->min,
        };
        d->w_zero[m] = zeros[row[QD_CONV_W_ZERO]];
    }
}

void qd_conv_draft_zeros(struct qd_conv_draft *d, const uint8_t *row, struct qd_random *r)
{
    uint8_t types = row[QD_CONV_TYPES];
    d->x_type = types & 1 ? QD_S8 : QD_U8;
    d->w_type = types & 2 ? QD_S8 : QD_U8;
    d->y_type = types & 4 ? QD_S8 : QD_U8;
    set_x_zero(d, row, r);
    set_y_zero(d, row, r);
    set_w_zeros(d, row, r);
}

struct qd_conv_draft qd_qlinear_conv_draft(const uint8_t *row, struct qd_random *r)
{
    struct qd_conv_draft d = {0};
    d.has_bias = row[QD_CONV_BIAS] == 1;
    set_channels(&d, row);
    set_kernel(&d, row);
    set_extent(&d, row, r);
    qd_conv_draft_zeros(&d, row, r);
    return d;
}

enum qd_status qd_conv_draft_room(struct qd_conv_draft *d, struct qd_arena *arena,
                                  struct qd_error *error)
{
    int64_t x[2 + QD_DRAFT_SPATIAL] = {d->batch, d->channels};
    int64_t w[2 + QD_DRAFT_SPATIAL] = {d->filters, d->channels / d->group};
    memcpy(x + 2, d->in, sizeof d->in);
    memcpy(w + 2, d->kernel, sizeof d->kernel);
    d->acc = qd_arena_array(arena, (size_t)(d->batch * d->filters * d->plane), sizeof *d->acc);
    if (!d->acc)
        return qd_fail(error, QD_NO_MEMORY, "no room for the sums of a generated case");
    enum qd_status status = qd_tensor_init(&d->x, arena, d->x_type, d->spatial + 2, x, error);
    if (status == QD_OK)
        status = qd_tensor_init(&d->w, arena, d->w_type, d->spatial + 2, w, error);
    return status;
}

/* ---- From a draft to a case ------------------------------------------------------------------ */

struct maker {
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_builder *builder;
    enum qd_status status; /* the first failure */
};

/* A zeroed parameter: a scalar, or a vector of `count` elements. */
static struct qd_tensor parameter(struct maker *maker, enum qd_dtype dtype, bool scalar,
                                  int64_t count)
{
    struct qd_tensor t = {0};
    if (maker->status == QD_OK)
        maker->status =
            qd_tensor_init(&t, maker->arena, dtype, scalar ? 0 : 1, &count, maker->error);
    return t;
}

static void add_scales(struct maker *maker, const char *name, const struct qd_scale *scales,
                       bool scalar, int64_t count, bool run)
{
    struct qd_tensor t = parameter(maker, QD_F32, scalar, count);
    if (maker->status != QD_OK)
        return;
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&t, i, qd_scale_bits(scales[i]));
    qd_build_tensor(maker->builder, name, &t, run);
}

static void add_codes(struct maker *maker, const char *name, enum qd_dtype dtype,
                      const int64_t *codes, bool scalar, int64_t count, bool run)
{
    struct qd_tensor t = parameter(maker, dtype, scalar, count);
    if (maker->status != QD_OK)
        return;
    for (int64_t i = 0; i < count; i++)
        qd_tensor_set(&t, i, codes[i]);
    qd_build_tensor(maker->builder, name, &t, run);
}

void qd_qlinear_conv_attributes(struct qd_builder *b, const struct qd_conv_draft *d,
                                const uint8_t *row)
{
    static const char *const modes[] = {NULL, NULL, NULL, "SAME_UPPER", "SAME_LOWER", "VALID"};
    uint8_t pads = row[QD_CONV_PADS];
    int64_t values[2 * QD_DRAFT_SPATIAL];
    if (d->group != 1)
        qd_build_attr_int(b, "group", d->group);
    if (modes[pads])
        qd_build_attr_string(b, "auto_pad", modes[pads]);
    if (pads == 1 || pads == 2) {
        memcpy(values, d->pad_begin, d->spatial * sizeof *values);
        memcpy(values + d->spatial, d->pad_end, d->spatial * sizeof *values);
        qd_build_attr_ints(b, "pads", values, 2 * d->spatial);
    }
    if (row[QD_CONV_STRIDE])
        qd_build_attr_ints(b, "strides", d->stride, d->spatial);
    if (row[QD_CONV_DILATION])
        qd_build_attr_ints(b, "dilations", d->dilation, d->spatial);
    if (row[QD_CONV_KERNEL] != 3)
        qd_build_attr_ints(b, "kernel_shape", d->kernel, d->spatial);
}

static void add_tensors(struct maker *maker, const struct qd_conv_draft *d, const uint8_t *row)
{
    bool params = row[QD_CONV_BINDING] & 1, weights = row[QD_CONV_BINDING] & 2;
    int64_t count = d->per_channel ? d->filters : 1;
    qd_build_input(maker->builder, "x", &d->x);
    add_scales(maker, "x_scale", &d->x_scale, true, 1, params);
    add_codes(maker, "x_zero_point", d->x_type, &d->x_zero, true, 1, params);
    qd_build_tensor(maker->builder, "w", &d->w, weights);
    add_scales(maker, "w_scale", d->w_scale, !d->per_channel, count, params);
    add_codes(maker, "w_zero_point", d->w_type, d->w_zero, !d->per_channel, count, params);
    add_scales(maker, "y_scale", &d->y_scale, true, 1, params);
    add_codes(maker, "y_zero_point", d->y_type, &d->y_zero, true, 1, params);
    if (d->has_bias)
        add_codes(maker, "B", QD_S32, d->bias, false, d->filters, weights);
}

static enum qd_status make_case(const struct qd_conv_draft *d, const uint8_t *row, const char *slug,
                                const char *tag, struct qd_arena *arena, struct qd_case *kase,
                                struct qd_error *error)
{
    struct maker maker = {arena, error, qd_build_begin(arena, 13), QD_OK};
    int64_t y[2 + QD_DRAFT_SPATIAL] = {d->batch, d->filters};
    if (!maker.builder)
        return qd_fail(error, QD_NO_MEMORY, "no room for a builder");
    memcpy(y + 2, d->out, sizeof d->out);
    qd_build_node(maker.builder, "", "QLinearConv",
                  d->has_bias ? "x,x_scale,x_zero_point,w,w_scale,w_zero_point,y_scale,"
                                "y_zero_point,B"
                              : "x,x_scale,x_zero_point,w,w_scale,w_zero_point,y_scale,"
                                "y_zero_point",
                  "y");
    qd_qlinear_conv_attributes(maker.builder, d, row);
    add_tensors(&maker, d, row);
    qd_build_output(maker.builder, "y", d->y_type, (int)d->spatial + 2, y);
    qd_build_tag(maker.builder, tag);
    qd_build_origin(maker.builder, "QLinearConv-10", "", "");
    return maker.status == QD_OK ? qd_build_finish(maker.builder, slug, true, kase, error)
                                 : maker.status;
}

/* ---- The family ------------------------------------------------------------------------------ */

static void write_slug(const uint8_t *row, const struct qd_conv_values *values, char *text,
                       size_t size)
{
    char features[160];
    const char *words[] = {"u8", "s8"};
    uint8_t types = row[QD_CONV_TYPES];
    qd_covering_describe(&qd_qlinear_conv_table, row, features, sizeof features);
    snprintf(text, size, "QLinearConv/x-%s,w-%s,y-%s/%s-%s", words[types & 1],
             words[types >> 1 & 1], words[types >> 2 & 1], values->word, features);
}

/* One case, drawn until the value family has made its point. */
static enum qd_status generate_case(const uint8_t *row, const struct qd_conv_values *values,
                                    uint64_t draw, struct qd_arena *arena, struct qd_case *kase,
                                    struct qd_error *error)
{
    char slug[256];
    write_slug(row, values, slug, sizeof slug);
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct qd_random random = qd_random_seed(slug, draw * ATTEMPTS + attempt);
        struct qd_conv_draft draft = qd_qlinear_conv_draft(row, &random);
        enum qd_status status = qd_conv_draft_room(&draft, arena, error);
        if (status != QD_OK)
            return status;
        if (values->choose(&draft, &random))
            return make_case(&draft, row, slug, values->word, arena, kase, error);
    }
    return qd_fail(error, QD_INTERNAL, "%s: no draw of %d succeeded", slug, ATTEMPTS);
}

struct run {
    qd_case_visitor *visit;
    void *context;
    struct qd_arena arena;
    bool stopped;
    struct qd_error *error;
};

static enum qd_status visit_case(struct run *run, const uint8_t *row, size_t values, uint64_t draw)
{
    const struct qd_conv_values *family = &qd_conv_values[values];
    struct qd_case kase;
    if (run->stopped || (family->needs_bias && row[QD_CONV_BIAS] == 0))
        return QD_OK;
    qd_arena_reset(&run->arena);
    enum qd_status status = generate_case(row, family, draw, &run->arena, &kase, run->error);
    if (status == QD_OK)
        run->stopped = run->visit(run->context, &kase) == QD_VISIT_STOP;
    return status;
}

/* The value families of smoke row r: three that rotate. */
static bool in_smoke(size_t r, size_t values)
{
    return values == r % QD_CONV_VALUES || values == (r + 2) % QD_CONV_VALUES ||
           values == (r + 4) % QD_CONV_VALUES;
}

static bool smoke_has(const struct qd_covering *smoke, const uint8_t *row, size_t values)
{
    for (size_t r = 0; r < smoke->row_count; r++)
        if (in_smoke(r, values) &&
            memcmp(smoke->rows + r * QD_CONV_FACTORS, row, QD_CONV_FACTORS) == 0)
            return true;
    return false;
}

static enum qd_status run_smoke(struct run *run, const struct qd_covering *smoke)
{
    enum qd_status status = QD_OK;
    for (size_t r = 0; r < smoke->row_count; r++)
        for (size_t v = 0; v < QD_CONV_VALUES && status == QD_OK; v++)
            if (in_smoke(r, v))
                status = visit_case(run, smoke->rows + r * QD_CONV_FACTORS, v, 0);
    return status;
}

static enum qd_status run_full(struct run *run, const struct qd_covering *smoke,
                               const struct qd_covering *full, uint64_t draws)
{
    enum qd_status status = QD_OK;
    for (size_t r = 0; r < full->row_count; r++) {
        const uint8_t *row = full->rows + r * QD_CONV_FACTORS;
        for (size_t v = 0; v < QD_CONV_VALUES; v++)
            for (uint64_t draw = 0; draw < draws && status == QD_OK && !run->stopped; draw++)
                if (draw > 0 || !smoke_has(smoke, row, v))
                    status = visit_case(run, row, v, draw);
    }
    return status;
}

/* ---- Deep sums ------------------------------------------------------------------------------- */

/* Sums of products that pass `total` before a bias of about −total brings them back: float32
 * loses their last bits, a saturating int32 their excess, two's complement nothing. Kernel 1,
 * two filters, four positions; zero points at the lower end, so that factors are 0 to 255. */
static enum qd_status make_deep(int64_t total, const uint8_t *row, struct qd_arena *arena,
                                struct qd_case *kase, struct qd_error *error)
{
    enum { FULL = 255, POSITIONS = 4, FILTERS = 2 };
    struct qd_random none = {0};
    struct qd_conv_draft d = qd_qlinear_conv_draft(row, &none);
    int64_t full = total / (FULL * FULL), rest = total % (FULL * FULL);
    char slug[128];
    d.channels = full + 2;
    d.filters = FILTERS;
    d.in[0] = d.out[0] = d.plane = POSITIONS;
    d.x_zero = qd_dtype_info(d.x_type)->min;
    d.w_zero[0] = qd_dtype_info(d.w_type)->min;
    d.y_zero = middle(d.y_type) + 1;
    enum qd_status status = qd_conv_draft_room(&d, arena, error);
    if (status != QD_OK)
        return status;
    for (int64_t c = 0; c < d.channels; c++) {
        bool last =
            c == full + 1; /* total's remainder: 255·(rest div 255) + 1·(rest mod 255 + position) */
        for (int64_t o = 0; o < POSITIONS; o++)
            qd_tensor_set(&d.x, c * POSITIONS + o, d.x_zero + (last ? rest % FULL + o : FULL));
        for (int64_t m = 0; m < FILTERS; m++)
            qd_tensor_set(&d.w, m * d.channels + c,
                          d.w_zero[0] + (last        ? 1
                                         : c == full ? rest / FULL
                                                     : FULL));
    }
    for (int64_t m = 0; m < FILTERS; m++)
        d.bias[m] = 51 + 8 * m - total;
    d.x_scale = qd_scale_make(1, -3);
    d.w_scale[0] = qd_scale_make(1, 1);
    d.y_scale = qd_scale_make(1, -1); /* real = sum / 2: ties at odd sums */
    const char *words[] = {"u8", "s8"};
    uint8_t types = row[QD_CONV_TYPES];
    snprintf(slug, sizeof slug, "QLinearConv/x-%s,w-%s,y-%s/deep-sum-%lld", words[types & 1],
             words[types >> 1 & 1], words[types >> 2 & 1], (long long)total);
    return make_case(&d, row, slug, "deep-sum", arena, kase, error);
}

/* Beyond 2^25, and just beyond 2^31, in all combinations of types. */
static enum qd_status run_deep(struct run *run)
{
    static const int64_t totals[] = {((int64_t)3 << 24) + 12345, ((int64_t)1 << 31) + 50};
    enum qd_status status = QD_OK;
    for (size_t t = 0; t < 2; t++)
        for (uint8_t types = 0; types < 8 && status == QD_OK && !run->stopped; types++) {
            uint8_t row[QD_CONV_FACTORS] = {
                [QD_CONV_TYPES] = types, [QD_CONV_KERNEL] = 1, [QD_CONV_BIAS] = 1};
            struct qd_case kase;
            qd_arena_reset(&run->arena);
            status = make_deep(totals[t], row, &run->arena, &kase, run->error);
            if (status == QD_OK)
                run->stopped = run->visit(run->context, &kase) == QD_VISIT_STOP;
        }
    return status;
}

static enum qd_status generate(enum qd_level level, qd_case_visitor *visit, void *context,
                               struct qd_error *error)
{
    struct run run = {.visit = visit, .context = context, .error = error};
    struct qd_arena rows;
    struct qd_covering smoke, full;
    qd_arena_init(&run.arena, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&rows, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_covering_make(&qd_qlinear_conv_table, 2, &rows, &smoke, error);
    if (status == QD_OK)
        status = run_smoke(&run, &smoke);
    if (status == QD_OK && !run.stopped)
        status = run_deep(&run);
    if (status == QD_OK && level >= QD_LEVEL_FULL && !run.stopped)
        status = qd_covering_make(&qd_qlinear_conv_table, 3, &rows, &full, error);
    if (status == QD_OK && level >= QD_LEVEL_FULL && !run.stopped)
        status =
            run_full(&run, &smoke, &full, level > QD_LEVEL_FULL ? EXHAUSTIVE_DRAWS : FULL_DRAWS);
    qd_arena_clear(&rows);
    qd_arena_clear(&run.arena);
    return status;
}

const struct qd_family qd_family_qlinear_conv = {
    .name = "QLinearConv",
    .meaning =
        "one quantized convolution: types, shapes, zero points and padding, times solved values",
    .table = &qd_qlinear_conv_table,
    .strength = 3,
    .generate = generate,
};
