/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzzers' seeds: each ends within a fuzzer's limits, and what the reference answers is no divergence from itself.
 * Alone: <build>/tests/fuzz/corpus_test */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/compare.h"
#include "qdiff/mutate_case.h"
#include "qdiff/quirk.h"

struct tally {
    size_t files, valid, rejected;
    int64_t elements;
};

/* Every admissible set is a range: a bound that is no number would be outside of everything. */
static void expect_ranges(const char *path, const struct qd_value *value)
{
    for (int64_t i = 0; i < value->want.count; i++) {
        struct qd_observation seen = qd_value_observe(value, i);
        if (!seen.unspecified && !seen.nan && !(seen.lo <= seen.hi))
            fail_msg("%s: element %lld may be in [%g, %g]", path, (long long)i, seen.lo, seen.hi);
    }
}

static void replay(const char *path, struct tally *tally)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_value values[QD_CASE_EDIT_MAX_OUTPUTS];
    struct qd_error error;
    uint8_t *bytes;
    size_t size;
    qd_arena_init(&arena, QD_FUZZ_MEMORY);
    if (qd_file_read(path, QD_FUZZ_MAX_BYTES, &arena, &bytes, &size, &error) != QD_OK ||
        qd_case_decode(bytes, size, &arena, &kase, &error) != QD_OK)
        fail_msg("%s: %s", path, error.text);
    assert_true(kase.graph->output_count <= QD_CASE_EDIT_MAX_OUTPUTS);
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase.graph, kase.inputs,
                                                     NULL, &arena, values, &error);
    if (status == QD_INTERNAL || status == QD_NO_MEMORY)
        fail_msg("%s: %s", path, error.text);
    for (size_t o = 0; status == QD_OK && o < kase.graph->output_count; o++) {
        struct qd_comparison comparison;
        expect_ranges(path, &values[o]);
        qd_quirk_answer(&values[o]);
        qd_compare_tensor(&values[o], &values[o].want, &comparison);
        assert_int_equal(comparison.mismatched, 0);
        tally->elements += comparison.compared;
    }
    tally->files++;
    tally->valid += status == QD_OK;
    tally->rejected += status == QD_INVALID;
    qd_arena_clear(&arena);
}

static void every_seed(void **state)
{
    (void)state;
    struct dirent **entries;
    struct tally tally = {0};
    int count = scandir(QD_SOURCE_DIR "/corpus", &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, QD_SOURCE_DIR "/corpus/%s", entries[i]->d_name);
        if (strlen(entries[i]->d_name) == 40) /* a SHA-1; the rest is README.md */
            replay(path, &tally);
        free(entries[i]);
    }
    free(entries);
    print_message("# %zu seeds: %zu valid, %zu to be rejected, %lld elements compared\n",
                  tally.files, tally.valid, tally.rejected, (long long)tally.elements);
    assert_true(tally.files >= 80 && tally.valid >= tally.files / 2 && tally.elements > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_seed)};
    return cmocka_run_group_tests_name("fuzz/corpus", tests, NULL, NULL);
}
