/* SPDX-License-Identifier: Apache-2.0 */
/* The twin's operators that move elements, and MaxPool: for every output coordinate, where it comes
 * from. */
#include <assert.h>
#include <string.h>

#include "twin/twin.h"

static const struct qd_attr *attribute(const struct qd_node *node, const char *name)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0)
            return &node->attrs[i];
    return NULL;
}

static int64_t integer(const struct qd_node *node, const char *name, int64_t otherwise)
{
    const struct qd_attr *attr = attribute(node, name);
    return attr ? attr->i : otherwise;
}

static int64_t entry(const struct qd_node *node, const char *name, size_t i, int64_t otherwise)
{
    const struct qd_attr *attr = attribute(node, name);
    assert(!attr || i < attr->count);
    return attr ? attr->ints[i] : otherwise;
}

/* A possibly negative axis of a tensor of the given rank. */
static unsigned axis_of(int64_t axis, unsigned rank)
{
    axis = axis < 0 ? axis + rank : axis;
    assert(axis >= 0 && axis <= rank);
    return (unsigned)axis;
}

static void coordinates_of(unsigned rank, const int64_t *dims, int64_t i, int64_t *coordinates)
{
    for (unsigned axis = rank; axis-- > 0;) {
        coordinates[axis] = i % dims[axis];
        i /= dims[axis];
    }
}

static int64_t index_of(unsigned rank, const int64_t *dims, const int64_t *coordinates)
{
    int64_t i = 0;
    for (unsigned axis = 0; axis < rank; axis++)
        i = i * dims[axis] + coordinates[axis];
    return i;
}

static void move(const struct qd_tensor *from, int64_t j, struct twin_element *to)
{
    twin_element_of(from, j, &to->want);
    twin_number_set(&to->lo, &to->want);
    twin_number_set(&to->hi, &to->want);
}

/* An output whose elements keep their order. */
static void reshape_to(const struct qd_tensor *x, unsigned rank, const int64_t *dims,
                       struct twin_result *out)
{
    twin_result_init(out, x->dtype, rank, dims);
    assert(out->count == x->count);
    for (int64_t i = 0; i < out->count; i++)
        move(x, i, &out->elements[i]);
}

static void reshape(const struct qd_node *node, const struct qd_tensor *const *in,
                    struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *shape = in[1];
    int64_t dims[QD_MAX_RANK], known = 1, unknown = -1;
    bool allow_zero = integer(node, "allowzero", 0) != 0;
    for (int64_t i = 0; i < shape->count; i++) {
        dims[i] = twin_integer_of(shape, i);
        if (dims[i] == 0 && !allow_zero)
            dims[i] = x->dims[i];
        if (dims[i] == -1)
            unknown = i;
        else
            known *= dims[i];
    }
    if (unknown >= 0)
        dims[unknown] = x->count / known;
    reshape_to(x, (unsigned)shape->count, dims, out);
}

static void flatten(const struct qd_node *node, const struct qd_tensor *const *in,
                    struct twin_result *out)
{
    int64_t dims[2] = {1, 1};
    unsigned axis = axis_of(integer(node, "axis", 1), in[0]->rank);
    for (unsigned i = 0; i < in[0]->rank; i++)
        dims[i >= axis] *= in[0]->dims[i];
    reshape_to(in[0], 2, dims, out);
}

/* Whether `axis` of a tensor of the given rank is among the axes input (NULL: no). */
static bool is_named(const struct qd_tensor *axes, unsigned axis, unsigned rank)
{
    for (int64_t i = 0; axes && i < axes->count; i++)
        if (axis_of(twin_integer_of(axes, i), rank) == axis)
            return true;
    return false;
}

static void squeeze(const struct qd_tensor *const *in, struct twin_result *out)
{
    int64_t dims[QD_MAX_RANK];
    unsigned rank = 0;
    for (unsigned axis = 0; axis < in[0]->rank; axis++)
        if (in[1] ? !is_named(in[1], axis, in[0]->rank) : in[0]->dims[axis] != 1)
            dims[rank++] = in[0]->dims[axis];
    reshape_to(in[0], rank, dims, out);
}

static void unsqueeze(const struct qd_tensor *const *in, struct twin_result *out)
{
    int64_t dims[QD_MAX_RANK];
    unsigned rank = in[0]->rank + (unsigned)in[1]->count, next = 0;
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = is_named(in[1], axis, rank) ? 1 : in[0]->dims[next++];
    reshape_to(in[0], rank, dims, out);
}

static void transpose(const struct qd_node *node, const struct qd_tensor *const *in,
                      struct twin_result *out)
{
    const struct qd_tensor *x = in[0];
    int64_t dims[QD_MAX_RANK], perm[QD_MAX_RANK];
    for (unsigned i = 0; i < x->rank; i++) {
        perm[i] = entry(node, "perm", i, x->rank - 1 - i);
        dims[i] = x->dims[perm[i]];
    }
    twin_result_init(out, x->dtype, x->rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t to[QD_MAX_RANK], from[QD_MAX_RANK];
        coordinates_of(x->rank, dims, i, to);
        for (unsigned axis = 0; axis < x->rank; axis++)
            from[perm[axis]] = to[axis];
        move(x, index_of(x->rank, x->dims, from), &out->elements[i]);
    }
}

static void concat(const struct qd_node *node, const struct qd_tensor *const *in,
                   struct twin_result *out)
{
    unsigned rank = in[0]->rank, axis = axis_of(integer(node, "axis", 1), rank);
    assert(axis < rank);
    int64_t dims[QD_MAX_RANK];
    memcpy(dims, in[0]->dims, sizeof dims);
    for (size_t k = 1; k < node->input_count; k++)
        dims[axis] += in[k]->dims[axis];
    twin_result_init(out, in[0]->dtype, rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0};
        size_t k = 0;
        coordinates_of(rank, dims, i, at);
        while (at[axis] >= in[k]->dims[axis])
            at[axis] -= in[k++]->dims[axis];
        move(in[k], index_of(rank, in[k]->dims, at), &out->elements[i]);
    }
}

static void split(const struct qd_node *node, const struct qd_tensor *const *in,
                  struct twin_result *out)
{
    const struct qd_tensor *x = in[0];
    unsigned axis = axis_of(integer(node, "axis", 0), x->rank);
    int64_t dims[QD_MAX_RANK], start = 0, parts = (int64_t)node->output_count;
    memcpy(dims, x->dims, sizeof dims);
    for (int64_t k = 0; k < parts; k++) {
        int64_t part = (x->dims[axis] + parts - 1) / parts, rest = x->dims[axis] - start;
        dims[axis] = in[1] ? twin_integer_of(in[1], k) : part < rest ? part : rest;
        twin_result_init(&out[k], x->dtype, x->rank, dims);
        for (int64_t i = 0; i < out[k].count; i++) {
            int64_t at[QD_MAX_RANK] = {0};
            coordinates_of(x->rank, dims, i, at);
            at[axis] += start;
            move(x, index_of(x->rank, x->dims, at), &out[k].elements[i]);
        }
        start += dims[axis];
    }
}

static int64_t clamped(int64_t x, int64_t min, int64_t max)
{
    return x < min ? min : x > max ? max : x;
}

/* First coordinate, step and number of elements along one axis. */
struct range {
    int64_t start, step, count;
};

static struct range range_of(int64_t start, int64_t end, int64_t step, int64_t size)
{
    start = start < 0 ? start + size : start;
    end = end < 0 ? end + size : end;
    start = step > 0 ? clamped(start, 0, size) : clamped(start, 0, size - 1);
    end = step > 0 ? clamped(end, 0, size) : clamped(end, -1, size - 1);
    struct range range = {start, step, 0};
    for (int64_t at = start; step > 0 ? at < end : at > end; at += step)
        range.count++;
    return range;
}

static void slice(const struct qd_tensor *const *in, struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *axes = in[3], *steps = in[4];
    struct range ranges[QD_MAX_RANK];
    int64_t dims[QD_MAX_RANK];
    for (unsigned axis = 0; axis < x->rank; axis++)
        ranges[axis] = (struct range){0, 1, x->dims[axis]};
    for (int64_t i = 0; i < in[1]->count; i++) {
        unsigned axis = axis_of(axes ? twin_integer_of(axes, i) : i, x->rank);
        ranges[axis] = range_of(twin_integer_of(in[1], i), twin_integer_of(in[2], i),
                                steps ? twin_integer_of(steps, i) : 1, x->dims[axis]);
    }
    for (unsigned axis = 0; axis < x->rank; axis++)
        dims[axis] = ranges[axis].count;
    twin_result_init(out, x->dtype, x->rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0};
        coordinates_of(x->rank, dims, i, at);
        for (unsigned axis = 0; axis < x->rank; axis++)
            at[axis] = ranges[axis].start + at[axis] * ranges[axis].step;
        move(x, index_of(x->rank, x->dims, at), &out->elements[i]);
    }
}

static void gather(const struct qd_node *node, const struct qd_tensor *const *in,
                   struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *indices = in[1];
    unsigned axis = axis_of(integer(node, "axis", 0), x->rank), rank = 0;
    int64_t dims[2 * QD_MAX_RANK];
    for (unsigned i = 0; i < axis; i++)
        dims[rank++] = x->dims[i];
    for (unsigned i = 0; i < indices->rank; i++)
        dims[rank++] = indices->dims[i];
    for (unsigned i = axis + 1; i < x->rank; i++)
        dims[rank++] = x->dims[i];
    twin_result_init(out, x->dtype, rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[2 * QD_MAX_RANK], from[QD_MAX_RANK];
        coordinates_of(rank, dims, i, at);
        memcpy(from, at, axis * sizeof *at);
        int64_t picked =
            twin_integer_of(indices, index_of(indices->rank, indices->dims, at + axis));
        from[axis] = picked < 0 ? picked + x->dims[axis] : picked;
        for (unsigned k = axis + 1; k < x->rank; k++)
            from[k] = at[k - 1 + indices->rank];
        move(x, index_of(x->rank, x->dims, from), &out->elements[i]);
    }
}

static void expand(const struct qd_tensor *const *in, struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *shape = in[1];
    unsigned rank = x->rank > shape->count ? x->rank : (unsigned)shape->count;
    int64_t dims[QD_MAX_RANK];
    for (unsigned axis = 0; axis < rank; axis++) {
        unsigned from_end = rank - axis;
        int64_t mine = from_end <= x->rank ? x->dims[x->rank - from_end] : 1;
        int64_t asked =
            from_end <= shape->count ? twin_integer_of(shape, shape->count - from_end) : 1;
        dims[axis] = mine == 1 ? asked : mine;
    }
    twin_result_init(out, x->dtype, rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0}, from[QD_MAX_RANK] = {0};
        coordinates_of(rank, dims, i, at);
        for (unsigned axis = 0; axis < x->rank; axis++)
            from[axis] = x->dims[axis] == 1 ? 0 : at[rank - x->rank + axis];
        move(x, index_of(x->rank, x->dims, from), &out->elements[i]);
    }
}

/* Where coordinate i of an axis of the given extent comes from, `before` elements having been put
 * in front; −1: the constant. */
static int64_t padded_from(int64_t i, int64_t before, int64_t extent, const char *mode)
{
    int64_t from = i - before, period = extent > 1 ? 2 * (extent - 1) : 1;
    if (from >= 0 && from < extent)
        return from;
    if (strcmp(mode, "constant") == 0)
        return -1;
    if (strcmp(mode, "edge") == 0)
        return from < 0 ? 0 : extent - 1;
    if (strcmp(mode, "wrap") == 0)
        return (from % extent + extent) % extent;
    from = (from % period + period) % period; /* reflect: the ends are not repeated */
    return from < extent ? from : period - from;
}

/* Inputs: data, pads, constant_value, axes. */
static void pad(const struct qd_node *node, const struct qd_tensor *const *in,
                struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *axes = in[3];
    const struct qd_attr *attr = attribute(node, "mode");
    const char *mode = attr ? attr->s : "constant";
    int64_t before[QD_MAX_RANK] = {0}, dims[QD_MAX_RANK], count = in[1]->count / 2;
    memcpy(dims, x->dims, sizeof dims);
    for (int64_t k = 0; k < count; k++) {
        unsigned axis = axis_of(axes ? twin_integer_of(axes, k) : k, x->rank);
        before[axis] = twin_integer_of(in[1], k);
        dims[axis] += before[axis] + twin_integer_of(in[1], count + k);
    }
    twin_result_init(out, x->dtype, x->rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0};
        bool constant = false;
        coordinates_of(x->rank, dims, i, at);
        for (unsigned axis = 0; axis < x->rank; axis++) {
            at[axis] = padded_from(at[axis], before[axis], x->dims[axis], mode);
            constant = constant || at[axis] < 0;
        }
        if (!constant)
            move(x, index_of(x->rank, x->dims, at), &out->elements[i]);
        else if (in[2])
            move(in[2], 0, &out->elements[i]);
    }
}

static void tile(const struct qd_tensor *const *in, struct twin_result *out)
{
    const struct qd_tensor *x = in[0];
    int64_t dims[QD_MAX_RANK] = {0};
    for (unsigned axis = 0; axis < x->rank; axis++)
        dims[axis] = x->dims[axis] * twin_integer_of(in[1], axis);
    twin_result_init(out, x->dtype, x->rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0};
        coordinates_of(x->rank, dims, i, at);
        for (unsigned axis = 0; axis < x->rank; axis++)
            at[axis] %= x->dims[axis];
        move(x, index_of(x->rank, x->dims, at), &out->elements[i]);
    }
}

/* A place (row, column) of a block and the channel of one with all blocks' channels:
 * DCR: channel = (row·b + column)·small + c; CRD: channel = (c·b + row)·b + column. */
static void depth_to_space(const struct qd_node *node, const struct qd_tensor *x, bool reverse,
                           struct twin_result *out)
{
    const struct qd_attr *mode = attribute(node, "mode");
    bool crd = mode && strcmp(mode->s, "CRD") == 0;
    int64_t b = integer(node, "blocksize", 0);
    int64_t dims[4] = {x->dims[0], x->dims[1] / (b * b), x->dims[2] * b, x->dims[3] * b};
    const int64_t deep[4] = {x->dims[0], x->dims[1] * b * b, x->dims[2] / b, x->dims[3] / b};
    twin_result_init(out, x->dtype, 4, reverse ? deep : dims);
    const int64_t *wide = reverse ? x->dims : out->dims, *thick = reverse ? out->dims : x->dims;
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[4];
        coordinates_of(4, wide, i, at); /* as many elements either way */
        int64_t row = at[2] % b, column = at[3] % b;
        int64_t channel =
            crd ? (at[1] * b + row) * b + column : (row * b + column) * wide[1] + at[1];
        const int64_t from[4] = {at[0], channel, at[2] / b, at[3] / b};
        int64_t j = index_of(4, thick, from);
        move(x, reverse ? i : j, &out->elements[reverse ? j : i]);
    }
}

/* Inputs: condition, X, Y, broadcast together. */
static void where(const struct qd_tensor *const *in, struct twin_result *out)
{
    int64_t dims[QD_MAX_RANK];
    unsigned rank = 0;
    for (int k = 0; k < 3; k++)
        rank = in[k]->rank > rank ? in[k]->rank : rank;
    for (unsigned axis = 0; axis < rank; axis++)
        dims[axis] = 1;
    for (int k = 0; k < 3; k++)
        for (unsigned axis = 0; axis < in[k]->rank; axis++)
            if (in[k]->dims[axis] != 1)
                dims[rank - in[k]->rank + axis] = in[k]->dims[axis];
    twin_result_init(out, in[1]->dtype, rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0}, index[3];
        coordinates_of(rank, dims, i, at);
        for (int k = 0; k < 3; k++) {
            int64_t from[QD_MAX_RANK] = {0};
            for (unsigned axis = 0; axis < in[k]->rank; axis++)
                from[axis] = in[k]->dims[axis] == 1 ? 0 : at[rank - in[k]->rank + axis];
            index[k] = index_of(in[k]->rank, in[k]->dims, from);
        }
        int chosen = twin_integer_of(in[0], index[0]) ? 1 : 2;
        move(in[chosen], index[chosen], &out->elements[i]);
    }
}

/* ReduceMax over the axes input; all axes where there is none, none where the node says so. */
static void reduce_max(const struct qd_node *node, const struct qd_tensor *const *in,
                       struct twin_result *out)
{
    const struct qd_tensor *x = in[0];
    bool none = !in[1] || in[1]->count == 0, noop = integer(node, "noop_with_empty_axes", 0);
    bool keep = integer(node, "keepdims", 1), reduced[QD_MAX_RANK];
    int64_t kept[QD_MAX_RANK] = {0}, dims[QD_MAX_RANK] = {0};
    unsigned rank = 0;
    struct twin_number number;
    for (unsigned axis = 0; axis < x->rank; axis++) {
        reduced[axis] = none ? !noop : is_named(in[1], axis, x->rank);
        kept[axis] = reduced[axis] ? 1 : x->dims[axis];
        if (keep || !reduced[axis])
            dims[rank++] = kept[axis];
    }
    twin_result_init(out, x->dtype, rank, dims);
    twin_number_init(&number);
    for (int64_t i = 0; i < out->count; i++)
        out->elements[i].unspecified = true; /* until something is seen */
    for (int64_t j = 0; j < x->count; j++) {
        int64_t at[QD_MAX_RANK] = {0};
        coordinates_of(x->rank, x->dims, j, at);
        for (unsigned axis = 0; axis < x->rank; axis++)
            at[axis] = reduced[axis] ? 0 : at[axis];
        struct twin_element *greatest_yet = &out->elements[index_of(x->rank, kept, at)];
        twin_element_of(x, j, &number);
        if (greatest_yet->unspecified || twin_number_compare(&number, &greatest_yet->want) > 0)
            move(x, j, greatest_yet);
        greatest_yet->unspecified = false;
    }
    twin_number_clear(&number);
}

/* --- MaxPool --- */

struct twin_window twin_window_of(const struct qd_node *node, unsigned axis, unsigned spatial,
                                  int64_t in)
{
    struct twin_window w = {entry(node, "kernel_shape", axis, 0),
                            entry(node, "strides", axis, 1),
                            entry(node, "dilations", axis, 1),
                            0,
                            0,
                            0};
    const struct qd_attr *auto_pad = attribute(node, "auto_pad");
    int64_t extent = (w.kernel - 1) * w.dilation + 1;
    if (auto_pad && strncmp(auto_pad->s, "SAME", 4) == 0) {
        w.out = (in + w.stride - 1) / w.stride;
        int64_t total = (w.out - 1) * w.stride + extent - in;
        total = total > 0 ? total : 0;
        w.before = strcmp(auto_pad->s, "SAME_UPPER") == 0 ? total / 2 : total - total / 2;
        w.after = total - w.before;
        return w;
    }
    bool valid = auto_pad && strcmp(auto_pad->s, "VALID") == 0;
    if (!valid) {
        w.before = entry(node, "pads", axis, 0);
        w.after = entry(node, "pads", axis + spatial, 0);
    }
    int64_t room = in + w.before + w.after - extent;
    assert(room >= 0);
    w.out = room / w.stride + 1;
    if (integer(node, "ceil_mode", 0) && !valid && room % w.stride != 0)
        w.out += node->opset < 22 || w.out * w.stride < in + w.before;
    return w;
}

unsigned twin_window_taps(const struct qd_tensor *x, const struct twin_window *windows,
                          const int64_t *at, int64_t *index, int64_t *padded)
{
    int64_t kernel[QD_MAX_RANK], taps = 1;
    unsigned spatial = x->rank - 2, count = 0;
    *padded = 0;
    for (unsigned axis = 0; axis < spatial; axis++)
        taps *= kernel[axis] = windows[axis].kernel;
    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t k[QD_MAX_RANK] = {0}, from[QD_MAX_RANK] = {at[0], at[1]};
        bool inside = true, counted = true;
        coordinates_of(spatial, kernel, tap, k);
        for (unsigned axis = 0; axis < spatial; axis++) {
            const struct twin_window *w = &windows[axis];
            int64_t position = at[2 + axis] * w->stride + k[axis] * w->dilation - w->before;
            from[2 + axis] = position;
            inside = inside && position >= 0 && position < x->dims[2 + axis];
            counted = counted && position < x->dims[2 + axis] + w->after;
        }
        *padded += counted;
        if (inside)
            index[count++] = index_of(x->rank, x->dims, from);
    }
    return count;
}

/* The greatest element under the window at output coordinates `at`; none: unspecified. */
static void greatest(const struct qd_tensor *x, const struct twin_window *windows,
                     const int64_t *at, struct twin_element *out)
{
    int64_t index[TWIN_MAX_TAPS], padded;
    struct twin_number number;
    unsigned taps = twin_window_taps(x, windows, at, index, &padded);
    twin_number_init(&number);
    out->unspecified = taps == 0;
    for (unsigned tap = 0; tap < taps; tap++) {
        twin_element_of(x, index[tap], &number);
        if (tap == 0 || twin_number_compare(&number, &out->want) > 0)
            move(x, index[tap], out);
    }
    twin_number_clear(&number);
}

static void max_pool(const struct qd_node *node, const struct qd_tensor *const *in,
                     struct twin_result *out)
{
    const struct qd_tensor *x = in[0];
    struct twin_window windows[QD_MAX_RANK] = {{.kernel = 0}};
    int64_t dims[QD_MAX_RANK] = {x->dims[0], x->dims[1]};
    for (unsigned axis = 0; axis + 2 < x->rank; axis++) {
        windows[axis] = twin_window_of(node, axis, x->rank - 2, x->dims[2 + axis]);
        dims[2 + axis] = windows[axis].out;
    }
    twin_result_init(out, x->dtype, x->rank, dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t at[QD_MAX_RANK] = {0};
        coordinates_of(x->rank, dims, i, at);
        greatest(x, windows, at, &out->elements[i]);
    }
}

void twin_move(const struct qd_node *node, const struct qd_tensor *const *in,
               struct twin_result *out)
{
    const char *name = node->op_type;
    if (strcmp(name, "Identity") == 0)
        reshape_to(in[0], in[0]->rank, in[0]->dims, out);
    else if (strcmp(name, "Reshape") == 0)
        reshape(node, in, out);
    else if (strcmp(name, "Flatten") == 0)
        flatten(node, in, out);
    else if (strcmp(name, "Squeeze") == 0)
        squeeze(in, out);
    else if (strcmp(name, "Unsqueeze") == 0)
        unsqueeze(in, out);
    else if (strcmp(name, "Transpose") == 0)
        transpose(node, in, out);
    else if (strcmp(name, "Concat") == 0)
        concat(node, in, out);
    else if (strcmp(name, "Split") == 0)
        split(node, in, out);
    else if (strcmp(name, "Slice") == 0)
        slice(in, out);
    else if (strcmp(name, "Gather") == 0)
        gather(node, in, out);
    else if (strcmp(name, "Expand") == 0)
        expand(in, out);
    else if (strcmp(name, "Pad") == 0)
        pad(node, in, out);
    else if (strcmp(name, "Tile") == 0)
        tile(in, out);
    else if (strcmp(name, "DepthToSpace") == 0 || strcmp(name, "SpaceToDepth") == 0)
        depth_to_space(node, in[0], name[0] == 'S', out);
    else if (strcmp(name, "Where") == 0)
        where(in, out);
    else if (strcmp(name, "ReduceMax") == 0)
        reduce_max(node, in, out);
    else
        max_pool(node, in, out);
}
