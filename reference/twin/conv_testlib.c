/* SPDX-License-Identifier: Apache-2.0 */
/* The twin's convolutions on codes, straight from the specification: for every output coordinate,
 * every filter tap. */
#include <assert.h>
#include <string.h>

#include "twin/twin.h"

struct geometry {
    unsigned spatial;
    int64_t group, stride[QD_MAX_RANK], dilation[QD_MAX_RANK], before[QD_MAX_RANK],
        after[QD_MAX_RANK];
    int64_t y_dims[QD_MAX_RANK];
};

static const struct qd_attr *attribute(const struct qd_node *node, const char *name)
{
    for (size_t i = 0; i < node->attr_count; i++)
        if (strcmp(node->attrs[i].name, name) == 0)
            return &node->attrs[i];
    return NULL;
}

static int64_t entry(const struct qd_node *node, const char *name, size_t i, int64_t otherwise)
{
    const struct qd_attr *attr = attribute(node, name);
    assert(!attr || i < attr->count);
    return attr ? attr->ints[i] : otherwise;
}

/* Padding of one axis. SAME: as much as makes the output ⌈in/stride⌉, the odd one at the end for
 * UPPER. */
static void pad_axis(struct geometry *g, const struct qd_node *node, unsigned axis, int64_t in,
                     int64_t extent)
{
    const struct qd_attr *auto_pad = attribute(node, "auto_pad");
    const char *mode = auto_pad ? auto_pad->s : "NOTSET";
    g->before[axis] = g->after[axis] = 0;
    if (strcmp(mode, "NOTSET") == 0) {
        g->before[axis] = entry(node, "pads", axis, 0);
        g->after[axis] = entry(node, "pads", axis + g->spatial, 0);
    } else if (strcmp(mode, "VALID") != 0) {
        int64_t out = (in + g->stride[axis] - 1) / g->stride[axis];
        int64_t total = (out - 1) * g->stride[axis] + extent - in;
        total = total > 0 ? total : 0;
        int64_t small = total / 2, large = total - small;
        bool upper = strcmp(mode, "SAME_UPPER") == 0;
        assert(upper || strcmp(mode, "SAME_LOWER") == 0);
        g->before[axis] = upper ? small : large;
        g->after[axis] = upper ? large : small;
    }
}

static struct geometry geometry_of(const struct qd_node *node, const struct qd_tensor *x,
                                   const struct qd_tensor *w)
{
    struct geometry g = {.spatial = x->rank - 2, .group = 1};
    const struct qd_attr *group = attribute(node, "group");
    if (group)
        g.group = group->i;
    g.y_dims[0] = x->dims[0];
    g.y_dims[1] = w->dims[0];
    for (unsigned axis = 0; axis < g.spatial; axis++) {
        g.stride[axis] = entry(node, "strides", axis, 1);
        g.dilation[axis] = entry(node, "dilations", axis, 1);
        int64_t in = x->dims[2 + axis];
        int64_t extent = (w->dims[2 + axis] - 1) * g.dilation[axis] + 1;
        pad_axis(&g, node, axis, in, extent);
        int64_t room = in + g.before[axis] + g.after[axis] - extent;
        assert(room >= 0);
        g.y_dims[2 + axis] = room / g.stride[axis] + 1;
    }
    return g;
}

/* Row-major coordinates of flat index i, and back. */
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

/* A scalar, [1] or [filters] parameter at filter m. */
static int64_t parameter_index(const struct qd_tensor *parameter, int64_t m)
{
    return parameter->count == 1 ? 0 : m;
}

static int64_t zero_point_at(const struct qd_tensor *zero_point, int64_t m)
{
    return zero_point ? twin_integer_of(zero_point, parameter_index(zero_point, m)) : 0;
}

/* x's flat index under filter tap k (coordinates in w) for output coordinates y; −1 in the
 * padding. */
static int64_t input_index(const struct geometry *g, const struct qd_tensor *x,
                           const struct qd_tensor *w, const int64_t *y, const int64_t *k)
{
    int64_t filters_per_group = w->dims[0] / g->group;
    int64_t at[QD_MAX_RANK] = {y[0], y[1] / filters_per_group * w->dims[1] + k[1]};
    for (unsigned axis = 0; axis < g->spatial; axis++) {
        at[2 + axis] =
            y[2 + axis] * g->stride[axis] + k[2 + axis] * g->dilation[axis] - g->before[axis];
        if (at[2 + axis] < 0 || at[2 + axis] >= x->dims[2 + axis])
            return -1;
    }
    return index_of(x->rank, x->dims, at);
}

/* Σ (x − z_x)(w − z_w[m]) over all taps of filter m = y[1]; the padding holds z_x, hence adds
 * nothing. */
static int64_t accumulate(const struct geometry *g, const struct qd_tensor *x,
                          const struct qd_tensor *x_zero_point, const struct qd_tensor *w,
                          const struct qd_tensor *w_zero_point, const int64_t *y)
{
    int64_t m = y[1], sum = 0, taps = w->count / w->dims[0];
    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t k[QD_MAX_RANK];
        coordinates_of(w->rank, w->dims, m * taps + tap, k);
        int64_t at = input_index(g, x, w, y, k);
        if (at >= 0)
            sum += (twin_integer_of(x, at) - zero_point_at(x_zero_point, 0)) *
                   (twin_integer_of(w, m * taps + tap) - zero_point_at(w_zero_point, m));
    }
    return sum; /* each product is below 2^17: no overflow for fewer than 2^46 taps */
}

/* Inputs: x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B. */
void twin_qlinear_conv(const struct qd_node *node, const struct qd_tensor *const *in,
                       struct twin_result *out)
{
    const struct qd_tensor *x = in[0], *w = in[3], *w_scale = in[4], *bias = in[8];
    struct geometry g = geometry_of(node, x, w);
    struct twin_number s1, s2, sy;
    twin_number_init(&s1);
    twin_number_init(&s2);
    twin_number_init(&sy);
    twin_element_of(in[1], 0, &s1);
    twin_element_of(in[6], 0, &sy);
    twin_result_init(out, in[7]->dtype, x->rank, g.y_dims);
    for (int64_t i = 0; i < out->count; i++) {
        int64_t y[QD_MAX_RANK];
        coordinates_of(out->rank, out->dims, i, y);
        int64_t acc = accumulate(&g, x, in[2], w, in[5], y);
        if (bias)
            acc += twin_integer_of(bias, y[1]);
        twin_element_of(w_scale, parameter_index(w_scale, y[1]), &s2);
        twin_requantize(acc, &s1, &s2, &sy, QD_F32, out->dtype, twin_integer_of(in[7], 0),
                        &out->elements[i]);
    }
    twin_number_clear(&s1);
    twin_number_clear(&s2);
    twin_number_clear(&sy);
}

/* Inputs: x, w, x_zero_point, w_zero_point. */
void twin_conv_integer(const struct qd_node *node, const struct qd_tensor *const *in,
                       struct twin_result *out)
{
    struct geometry g = geometry_of(node, in[0], in[1]);
    twin_result_init(out, QD_S32, in[0]->rank, g.y_dims);
    for (int64_t i = 0; i < out->count; i++) {
        struct twin_element *element = &out->elements[i];
        int64_t y[QD_MAX_RANK];
        coordinates_of(out->rank, out->dims, i, y);
        int64_t acc = accumulate(&g, in[0], in[2], in[1], in[3], y);
        mpq_set_si(element->want.q, acc, 1);
        mpq_set_si(element->lo.q, acc, 1);
        mpq_set_si(element->hi.q, acc, 1);
        element->unspecified = acc < INT32_MIN || acc > INT32_MAX;
    }
}
