/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzzers' seeds: every operator, every family and whatever a quantizer is asked is among them; each ends within a
 * fuzzer's limits, and what the reference answers is no divergence from itself.
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
#include "qdiff/quantizer_suite.h"
#include "qdiff/quirk.h"

enum { MOST_SEEDS = 512, QUANTIZER_WORDS = 5 };

/* What the seeds of a role are. */
struct tally {
    struct qd_arena ids_arena;
    const char *ids[MOST_SEEDS];
    const struct qd_op *operators[MOST_SEEDS]; /* of all nodes, each once */
    size_t files, operator_count, valid;
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

static void expect_same_bytes(const char *path, const struct qd_case *kase, const uint8_t *bytes,
                              size_t size, struct qd_arena *arena)
{
    struct qd_error error;
    uint8_t *again;
    size_t size_again;
    if (qd_case_encode(kase, arena, &again, &size_again, &error) != QD_OK)
        fail_msg("%s: %s", path, error.text);
    if (size_again != size || memcmp(again, bytes, size) != 0)
        fail_msg("%s: other bytes after a decode and an encode", path);
}

static bool has_operator(const struct tally *tally, const struct qd_op *op)
{
    for (size_t i = 0; i < tally->operator_count; i++)
        if (tally->operators[i] == op)
            return true;
    return false;
}

static void note(struct tally *tally, const struct qd_case *kase)
{
    assert_true(tally->files < MOST_SEEDS);
    tally->ids[tally->files++] = qd_arena_string(&tally->ids_arena, kase->id);
    for (size_t i = 0; i < kase->graph->node_count; i++) {
        const struct qd_op *op = kase->graph->nodes[i].op;
        if (op && !has_operator(tally, op)) {
            assert_true(tally->operator_count < MOST_SEEDS);
            tally->operators[tally->operator_count++] = op;
        }
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
    expect_same_bytes(path, &kase, bytes, size, &arena);
    note(tally, &kase);
    enum qd_status status = qd_graph_evaluate_within(QD_FUZZ_WORK, false, kase.graph, kase.inputs,
                                                     NULL, &arena, values, &error);
    if (status == QD_INTERNAL || status == QD_NO_MEMORY || status == QD_LIMIT)
        fail_msg("%s: %s", path, error.text);
    for (size_t o = 0; status == QD_OK && o < kase.graph->output_count; o++) {
        struct qd_comparison comparison;
        expect_ranges(path, &values[o]);
        qd_quirk_answer(&values[o]);
        qd_compare_tensor(&values[o], &values[o].want, &comparison);
        assert_int_equal(comparison.mismatched, 0);
        tally->elements += comparison.compared;
    }
    tally->valid += status == QD_OK;
    qd_arena_clear(&arena);
}

static void replay_all(const char *role, struct tally *tally)
{
    struct dirent **entries;
    char path[4096];
    memset(tally, 0, sizeof *tally);
    qd_arena_init(&tally->ids_arena, QD_FUZZ_MEMORY);
    snprintf(path, sizeof path, QD_TEST_CORPUS_DIR "/%s", role);
    int count = scandir(path, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, QD_TEST_CORPUS_DIR "/%s/%s", role, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay(path, tally);
        free(entries[i]);
    }
    free(entries);
    print_message("# %s: %zu seeds, %zu valid, %zu operators, %lld elements compared\n", role,
                  tally->files, tally->valid, tally->operator_count, (long long)tally->elements);
    assert_true(tally->valid > 0 && tally->elements > 0);
}

static void kernels(void **state)
{
    (void)state;
    struct tally tally;
    const struct qd_op *op;
    const struct qd_family *family;
    replay_all("kernels", &tally);
    for (size_t i = 0; (op = qd_op_at(i)) != NULL; i++)
        if (!has_operator(&tally, op))
            fail_msg("no seed has %s: has the smoke level a small case of it?", op->name);
    for (size_t i = 0; (family = qd_family_at(i)) != NULL; i++) {
        size_t seeds = 0;
        for (size_t k = 0; k < tally.files; k++)
            seeds += qd_family_has_id(family->name, tally.ids[k]);
        if (seeds == 0)
            fail_msg("no seed is of the family %s: are all its cases large?", family->name);
    }
    qd_arena_clear(&tally.ids_arena);
}

/* Whether some seed's id has the word at this place between its slashes. */
static bool has_word(const struct tally *tally, size_t place, const char *word, size_t length)
{
    for (size_t i = 0; i < tally->files; i++) {
        const char *at = tally->ids[i];
        for (size_t k = 0; k < place; k++)
            at += strcspn(at, "/") + 1;
        if (strcspn(at, "/") == length && strncmp(at, word, length) == 0)
            return true;
    }
    return false;
}

static enum qd_visit check_words(void *context, const struct qd_quantizer_case *asked)
{
    const char *word = asked->kase.id;
    for (size_t place = 0; place < QUANTIZER_WORDS; place++) {
        size_t length = strcspn(word, "/");
        if (!has_word(context, place, word, length))
            fail_msg("no seed has %.*s of %s", (int)length, word, asked->kase.id);
        word += length + (word[length] == '/');
    }
    assert_int_equal(*word, '\0');
    return QD_VISIT_GO_ON;
}

/* Each graph, each way of ranges, each choice of options and each opset of the suite. */
static void quantizers(void **state)
{
    (void)state;
    struct tally tally;
    struct qd_error error;
    replay_all("quantizers", &tally);
    if (qd_quantizer_suite_visit(QD_LEVEL_FULL, check_words, &tally, &error) != QD_OK)
        fail_msg("%s", error.text);
    qd_arena_clear(&tally.ids_arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),
        cmocka_unit_test(quantizers),
    };
    return cmocka_run_group_tests_name("fuzz/corpus", tests, NULL, NULL);
}
