/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever a line of a results file, it is decoded within the memory budget or refused with a status and a
 * text; a result that is decoded, written and decoded again is the same, and written once more the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "qdiff/memory_stream.h"
#include "result/header.h"
#include "result/result_json.h"

#define BUDGET ((size_t)16 << 20)

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever a line of results, it is decoded or refused, and written as it was read",
    .seed = seed,
};

static const char *make_text(struct qd_random *random)
{
    static const char *const texts[] = {
        "",          "a/b",      "QLinearConv", "\xe2\x80\xae reversed",
        "\xff\xfe",  "1.5, NaN", "bias,groups", "\x1b[31m\n\t\"\\",
        "0!11 2~13", "run"};
    return QD_RANDOM_PICK(random, texts);
}

static void write_result(FILE *out, struct qd_random *random)
{
    enum qd_result_kind kind = (enum qd_result_kind)qd_random_below(random, QD_RESULT_COUNT);
    struct qd_parameter parameters[] = {{"axis", "1"}, {"x", make_text(random)}};
    struct qd_result result = qd_result_init("a/b", "Conv", "ort@1.31.1[opt=all]", kind);
    result.comparison.verdict = (enum qd_verdict)qd_random_below(random, QD_VERDICT_COUNT);
    result.comparison.elements = qd_random_below(random, 1000);
    result.comparison.mismatched = qd_random_below(random, 1000);
    result.row = qd_random_below(random, 3);
    result.signal = (int)qd_random_below(random, 20);
#define SET(field)                       \
    if (qd_random_below(random, 3) == 0) \
        result.field = make_text(random);
    QD_RESULT_STRINGS(SET)
#undef SET
    result.parameter_count = qd_random_below(random, 3);
    result.parameters = parameters;
    qd_result_write(out, &result);
}

static void write_other(FILE *out, size_t kind)
{
    static const char *const lines[] = {
        "{\"record\":\"header\",\"schema\":3,\"suite\":\"0.1.0\",\"commit\":\"x\",\"started\":\"\","
        "\"machine\":{\"cpu\":\"c\",\"flags\":\"f\"},\"level\":\"smoke\",\"whole\":true,\"shard\":"
        "1,"
        "\"shards\":3,\"targets\":[{\"id\":\"ort@1\",\"name\":\"ort\",\"version\":\"1\"}]}",
        "{\"record\":\"summary\",\"complete\":true,\"seconds\":1.5,\"cases\":3,\"comparisons\":3}"};
    if (kind < 2)
        fputs(lines[kind], out);
    else
        qd_unmatched_row_write(out, &(struct qd_unmatched_row){"ort@1", "a\tb", "-", 7});
}

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    struct qd_memory_stream stream;
    if (!qd_memory_open(&stream))
        return;
    size_t kind = qd_random_below(random, 8);
    if (kind < 3)
        write_other(stream.out, kind);
    else
        write_result(stream.out, random);
    if (!qd_memory_close(&stream))
        return;
    qd_engine_append(room, stream.text, strcspn(stream.text, "\n"));
    free(stream.text);
}

/* The result as a line without its end; NULL when out of memory. Freed by the caller. */
static char *write_line(const struct qd_result *result)
{
    struct qd_memory_stream stream;
    if (!qd_memory_open(&stream))
        return NULL;
    qd_result_write(stream.out, result);
    if (!qd_memory_close(&stream))
        return NULL;
    stream.text[strcspn(stream.text, "\n")] = '\0';
    return stream.text;
}

static void check_result(const struct qd_result *result, struct qd_arena *arena)
{
    struct qd_result_record again;
    struct qd_error error = {.status = QD_OK};
    char *first = write_line(result), *second = NULL;
    if (!first)
        return;
    enum qd_status status = qd_result_record_decode(first, strlen(first), arena, &again, &error);
    qd_engine_require(status == QD_NO_MEMORY || (status == QD_OK && again.kind == QD_RECORD_RESULT),
                      "a result that was written cannot be read", &error);
    if (status == QD_OK)
        second = write_line(&again.result);
    qd_engine_require(!second || strcmp(first, second) == 0,
                      "a result is written another way the second time", NULL);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    struct qd_result_record record;
    struct qd_header header;
    struct qd_error error = {.status = QD_STATUS_COUNT}, of_header = {.status = QD_STATUS_COUNT};
    const char *line = (const char *)data;
    qd_arena_init(&arena, BUDGET);
    enum qd_status status = qd_result_record_decode(line, size, &arena, &record, &error);
    qd_engine_require_told(status, &error);
    if (status == QD_OK && record.kind == QD_RECORD_RESULT)
        check_result(&record.result, &arena);
    enum qd_status second = qd_header_decode(line, size, &arena, &header, &of_header);
    qd_engine_require_told(second, &of_header);
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", NULL);
    qd_arena_clear(&arena);
    return status == QD_OK ? 0 : -1;
}
