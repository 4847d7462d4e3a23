/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which elements of a large product are computed. */
#include "qdiff/sample.h"

#include <string.h>

#include "qdiff/evaluate.h"

/* A number of [0, 1) that looks drawn: neighbours have nothing in common,
 * as a regular choice would with the columns. */
static double drawn(int64_t position)
{
    uint64_t z = (uint64_t)position * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static int64_t at_most(double count, int64_t limit)
{
    return count < (double)limit ? (int64_t)count : limit;
}

static double share(int64_t part, int64_t of)
{
    return of > 0 ? (double)part / (double)of : 0;
}

/* Half of what may be computed goes to whole channels, half to whole positions. */
static enum qd_status choose(const struct qd_evaluation *evaluation,
                             const struct qd_products *products)
{
    struct qd_sample *s = evaluation->sample;
    double elements = (double)products->channels * (double)products->positions;
    double half = s->none ? 0 : s->work / products->cost * elements / 2;
    int64_t positions = at_most(half / (double)products->channels, products->positions);
    s->chosen_channels = at_most(half / (double)products->positions, products->channels);
    if (!s->none && positions == 0 && s->chosen_channels == 0)
        return qd_fail(evaluation->error, QD_LIMIT,
                       "one channel or position alone costs more multiply-accumulates than it may");
    s->channels = products->channels;
    s->positions = products->positions;
    s->chosen_positions = 0;
    s->planes = products->planes;
    int64_t edges = at_most((double)positions / 2, products->edges);
    s->edge_share = share(edges, products->edges);
    s->rest_share = share(positions - edges, products->positions - products->edges);
    s->chosen = qd_arena_array(evaluation->arena, (size_t)products->positions, sizeof *s->chosen);
    return s->chosen ? qd_spend(evaluation, s->none ? products->cost : s->work)
                     : qd_fail(evaluation->error, QD_NO_MEMORY, "no room for a sample");
}

enum qd_status qd_sample_begin(const struct qd_evaluation *evaluation,
                               const struct qd_products *products)
{
    struct qd_sample *s = evaluation->sample;
    if (!s || (!s->none && products->cost <= s->work))
        return qd_spend(evaluation, products->cost);
    enum qd_status status = choose(evaluation, products);
    s->active = status == QD_OK;
    return status;
}

static bool is_chosen_channel(const struct qd_sample *s, int64_t channel)
{
    if (channel == 0 || s->chosen_channels == 0)
        return s->chosen_channels > 0;
    double step = share(s->chosen_channels - 1, s->channels - 1);
    bool last = channel == s->channels - 1 && s->chosen_channels > 1;
    return last || (int64_t)((double)channel * step) != (int64_t)((double)(channel - 1) * step);
}

bool qd_sample_channel(const struct qd_evaluation *evaluation, int64_t channel)
{
    const struct qd_sample *s = evaluation->sample;
    return !s || !s->active || is_chosen_channel(s, channel);
}

bool qd_sample_position(const struct qd_evaluation *evaluation, int64_t position, bool edge)
{
    struct qd_sample *s = evaluation->sample;
    if (!s || !s->active)
        return true;
    bool end = position == 0 || position == s->positions - 1;
    double wanted = edge ? s->edge_share : s->rest_share;
    bool chosen = s->edge_share + s->rest_share > 0 && (end || drawn(position) < wanted);
    s->chosen[position] = chosen;
    s->chosen_positions += chosen;
    return chosen;
}

bool qd_sample_is_none(const struct qd_evaluation *evaluation)
{
    return evaluation->sample && evaluation->sample->none;
}

bool qd_sample_doubts(const struct qd_evaluation *evaluation)
{
    if (!qd_sample_is_none(evaluation))
        return false;
    evaluation->sample->doubted = true;
    return true;
}

bool qd_sample_leaves_all(const struct qd_evaluation *evaluation, struct qd_value *out,
                          enum qd_status *status)
{
    if (!qd_sample_is_none(evaluation))
        return false;
    *status = qd_value_need_flags(out, evaluation->arena, evaluation->error);
    if (*status == QD_OK)
        memset(out->flags, QD_UNSPECIFIED, (size_t)out->want.count);
    return true;
}

int64_t qd_sample_elements(const struct qd_evaluation *evaluation, struct qd_value *out,
                           enum qd_status *status)
{
    bool none = *status != QD_OK || qd_sample_leaves_all(evaluation, out, status);
    return none ? 0 : out->want.count;
}

int64_t qd_sample_floats(const struct qd_evaluation *evaluation, struct qd_value *out,
                         enum qd_status *status)
{
    return *status != QD_OK || qd_dtype_is_float(out->want.dtype)
               ? qd_sample_elements(evaluation, out, status)
               : out->want.count;
}

static enum qd_status leave_all(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                struct qd_value *out)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < node->output_count; i++)
        qd_sample_leaves_all(evaluation, &out[i], &status);
    return status;
}

enum qd_status qd_sample_end(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             struct qd_value *out)
{
    struct qd_sample *s = evaluation->sample;
    if (!s || !s->active)
        return QD_OK;
    s->active = false;
    if (s->none)
        return leave_all(evaluation, node, out);
    int64_t elements = s->channels * s->positions;
    if (node->output_count != 1 || out->want.count % elements != 0)
        return qd_fail(evaluation->error, QD_LIMIT, "%s costs too much, and is not sampled",
                       node->op_type);
    enum qd_status status = qd_value_need_flags(out, evaluation->arena, evaluation->error);
    for (int64_t i = 0; status == QD_OK && i < out->want.count; i++) {
        int64_t within = i % elements;
        int64_t channel = s->planes ? within / s->positions : within % s->channels;
        int64_t position = s->planes ? within % s->positions : within / s->channels;
        if (!s->chosen[position] && !is_chosen_channel(s, channel))
            out->flags[i] = QD_UNSPECIFIED;
    }
    return status;
}
