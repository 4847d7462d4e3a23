/* SPDX-License-Identifier: Apache-2.0 */
/* The suite of the quantizer role: counts, distinct ids, order, ranges that hold every number of their tensor.
 * Alone: <build>/tests/targets/quantizer/suite_test */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/quantizer_suite.h"

enum { MOST = 20000 };

struct census {
    size_t count, refusals;
    uint64_t *hashes;
};

static uint64_t hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static enum qd_visit take(void *context, const struct qd_quantizer_case *kase)
{
    struct census *census = context;
    assert_true(census->count < MOST);
    census->hashes[census->count++] = hash(kase->kase.id);
    census->refusals += kase->must_refuse;
    for (size_t i = 0; i < kase->request.range_count; i++) {
        const struct qd_quantizer_range *range = &kase->request.ranges[i];
        bool spoilt = kase->must_refuse && strcmp(range->tensor, "x") == 0;
        bool sane = isfinite(range->min) && isfinite(range->max) && range->min <= range->max;
        if (sane == spoilt)
            fail_msg("%s: range of %s is %g to %g", kase->kase.id, range->tensor,
                     (double)range->min, (double)range->max);
    }
    return QD_VISIT_GO_ON;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct census count(enum qd_level level)
{
    struct census census = {.hashes = calloc(MOST, sizeof *census.hashes)};
    struct qd_error error = {.status = QD_OK};
    assert_non_null(census.hashes);
    if (qd_quantizer_suite_visit(level, take, &census, &error) != QD_OK)
        fail_msg("%s", error.text);
    qsort(census.hashes, census.count, sizeof *census.hashes, by_number);
    for (size_t i = 1; i < census.count; i++)
        assert_true(census.hashes[i] != census.hashes[i - 1]);
    free(census.hashes);
    return census;
}

static void test_counts(void **state)
{
    (void)state;
    struct census smoke = count(QD_LEVEL_SMOKE), full = count(QD_LEVEL_FULL);
    print_message("smoke %zu (%zu to refuse), full %zu (%zu)\n", smoke.count, smoke.refusals,
                  full.count, full.refusals);
    assert_true(smoke.count >= 250 && smoke.refusals == 6);
    assert_true(full.count >= 10000 && full.refusals >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests_name("quantizer suite", tests, NULL, NULL);
}
