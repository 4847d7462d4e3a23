/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/counters.h"

#include <math.h>

#include "qdiff/features.h"

#define NEAR 0x1p-10

static unsigned event_of(const struct qd_value *value, int64_t i)
{
    const struct qd_dtype_info *info = qd_dtype_info(value->want.dtype);
    unsigned events = (qd_value_flags(value, i) & QD_TIE) ? QD_EVENT_TIE : 0;
    if (!qd_value_is_point(value, i))
        events |= QD_EVENT_SLACK;
    if (!qd_dtype_is_integer(value->want.dtype))
        return events;
    int64_t code = qd_tensor_get(&value->want, i);
    if (code == info->min || code == info->max)
        events |= QD_EVENT_SATURATED;
    double real = value->real ? value->real[i] : NAN;
    if (isfinite(real) && fabs(fabs(real - floor(real)) - 0.5) < NEAR)
        events |= QD_EVENT_NEAR_TIE;
    return events;
}

/* The events that a tensor can hold at all: most hold few, and those early. */
static unsigned possible_events(const struct qd_value *value)
{
    unsigned events = value->flags ? QD_EVENT_TIE : 0;
    if (value->lo)
        events |= QD_EVENT_SLACK;
    if (!qd_dtype_is_integer(value->want.dtype))
        return events;
    return events | QD_EVENT_SATURATED | (value->real ? QD_EVENT_NEAR_TIE : 0);
}

unsigned qd_counters_events(const struct qd_value *value)
{
    unsigned events = 0, possible = possible_events(value);
    for (int64_t i = 0; i < value->want.count && events != possible; i++)
        events |= event_of(value, i);
    return events;
}

static void count(uint8_t *counters, uint64_t key)
{
    key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
    key ^= key >> 32;
    uint8_t *slot = &counters[key % QD_COUNTERS];
    *slot = (uint8_t)(*slot + (*slot < UINT8_MAX));
}

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

/* One slot for the outcome alone, and one for each feature beside it. */
static void count_features(uint8_t *counters, const struct qd_case *kase, uint64_t outcome)
{
    struct qd_features features;
    uint64_t op = hash_text(kase->op);
    qd_case_features(kase, &features);
    count(counters, op + outcome);
    for (unsigned f = 0; f < QD_FEATURE_COUNT; f++)
        if (qd_features_has(&features, (enum qd_feature)f))
            count(counters, op + outcome + (uint64_t)(f + 1) * 0x9e3779b97f4a7c15u);
}

static unsigned events_of_all(const struct qd_case *kase, const struct qd_value *values)
{
    unsigned events = 0;
    for (size_t i = 0; i < kase->graph->output_count; i++)
        events |= qd_counters_events(&values[i]);
    return events;
}

void qd_counters_case(uint8_t *counters, const struct qd_case *kase, enum qd_status status,
                      const struct qd_value *values)
{
    if (status == QD_OK)
        count_features(counters, kase, 1 + events_of_all(kase, values));
    else
        count(counters, hash_text(kase->op) + 1000 + (uint64_t)status);
}

/* How far the first difference goes, as a power of two. */
static unsigned bucket_of(const struct qd_comparison *c)
{
    if (c->mismatched == 0)
        return c->admissible > 0;
    double distance = fabs(c->have - (c->have > c->hi ? c->hi : c->lo));
    if (!isfinite(distance))
        return 15;
    int exponent = distance > 0 ? ilogb(distance) : 0;
    return 4 + (unsigned)(exponent < 0 ? 0 : exponent > 10 ? 10 : exponent);
}

void qd_counters_answer(uint8_t *counters, const struct qd_case *kase,
                        const struct qd_value *values, const struct qd_comparison *comparison)
{
    unsigned events = values ? events_of_all(kase, values) : 0;
    uint64_t outcome =
        2000 + (uint64_t)comparison->verdict * 1024 + bucket_of(comparison) * 32 + events;
    count_features(counters, kase, outcome * 7);
}
