/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the text of an expectations file, it is parsed within the memory budget or refused with line and
 * words; what is parsed can be activated, viewed, matched against any divergence and asked for what is stale, and each
 * of its rows alone parses again to the same. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "qdiff/expectations.h"

#define BUDGET ((size_t)64 << 20)

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the text, rows of expectations are parsed or refused",
    .seed = seed,
};

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    static const char *const patterns[] = {"a/b",
                                           "a/*",
                                           "op:QLinearConv",
                                           "op:Conv",
                                           "reject/*",
                                           "fuzz:*>Softmax>*",
                                           "[x]*",
                                           "op:com.microsoft:Q*"};
    static const char *const features[] = {"*", "bias", "bias,groups", "!bias", "x-s8,no-such"};
    static const char *const settings[] = {"*", "opt=all", "opt=all,none;threads=1", "cpu=haswell"};
    static const char *const classes[] = {"wrong-value",
                                          "crash",
                                          "rejects-valid:no*such",
                                          "quirk:zero-points-ignored",
                                          "accepts-invalid",
                                          "quirk:round-toward-zero+range-int32-full",
                                          "pass"};
    static const char *const versions[] = {"*", "1.26.0", ">=1.20", ">=1.20,<1.31", "=x"};
    static const char *const cpus[] = {"*", "avx2", "avx2,!avx512_vnni", "asimd"};
    for (size_t n = 1 + qd_random_below(random, 4); n > 0; n--) {
        char line[512];
        int length =
            snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t%s\t%s\thttps://x.org/%zu\tknown\n",
                     QD_RANDOM_PICK(random, patterns), QD_RANDOM_PICK(random, features),
                     QD_RANDOM_PICK(random, settings), QD_RANDOM_PICK(random, classes),
                     QD_RANDOM_PICK(random, versions), QD_RANDOM_PICK(random, cpus), n);
        if (qd_random_below(random, 6) == 0)
            qd_engine_append(room, "# a comment\n\n", 13);
        qd_engine_append(room, line, (size_t)length);
    }
}

static void ignore_row(void *context, const struct qd_expectation *row, const char *text)
{
    size_t *rows = context;
    qd_engine_require(row->row > 0 && text, "a stale row without line or text", NULL);
    ++*rows;
}

/* A divergence of each class. */
static void match_all(struct qd_expectations *expectations)
{
    const struct qd_case kase = {.id = "a/b", .op = "QLinearConv"};
    struct qd_features features = qd_features_parse("bias,groups");
    for (int verdict = 0; verdict < QD_VERDICT_COUNT; verdict++) {
        const struct qd_expectation *unexpected;
        struct qd_row_lines covering = {.count = 0};
        struct qd_evidence evidence = {.kase = &kase,
                                       .features = &features,
                                       .verdict = (enum qd_verdict)verdict,
                                       .words = "no such operator"};
        const struct qd_expectation *row =
            qd_expectations_match(expectations, &evidence, &unexpected, &covering);
        qd_engine_require(!row || covering.count > 0, "a row that covers nothing matches", NULL);
    }
    qd_expectations_expect(expectations, QD_VERDICT_CRASH, &kase, &features);
    qd_expectations_mark_selected(expectations, &kase, &features);
}

static void view_all(const struct qd_expectations *expectations, struct qd_arena *arena)
{
    struct qd_expectation_view view;
    size_t stale = 0, rows = 0;
    for (; qd_expectations_view(expectations, rows, &view); rows++) {
        struct qd_expectations *alone;
        struct qd_expectation_view again;
        struct qd_error error = {.status = QD_OK};
        enum qd_status status =
            qd_expectations_parse("row", view.text, strlen(view.text), arena, &alone, &error);
        qd_engine_require(status == QD_OK || status == QD_NO_MEMORY, "a row alone does not parse",
                          &error);
        if (status == QD_OK)
            qd_engine_require(
                qd_expectations_view(alone, 0, &again) && again.verdict == view.verdict &&
                    strcmp(again.quirks, view.quirks) == 0 && strcmp(again.text, view.text) == 0,
                "a row alone is another", NULL);
    }
    qd_expectations_stale(expectations, ignore_row, &stale);
    qd_engine_require(stale <= rows, "more rows are stale than there are", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct qd_target_info info = {
        .name = "ort", .version = "1.26.0", .settings = "opt=all,threads=1"};
    struct qd_arena arena;
    struct qd_expectations *expectations;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    qd_arena_init(&arena, BUDGET);
    enum qd_status status =
        qd_expectations_parse("file", (const char *)data, size, &arena, &expectations, &error);
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", &error);
    if (status == QD_OK) {
        if (qd_expectations_activate(expectations, &info, &error) == QD_OK)
            match_all(expectations);
        view_all(expectations, &arena);
    } else {
        qd_engine_require(error.status == status && strncmp(error.text, "file", 4) == 0,
                          "a refusal without status, or that does not name the file", &error);
    }
    qd_arena_clear(&arena);
    return status == QD_OK ? 0 : -1;
}
