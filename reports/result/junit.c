/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JUnit XML. The counts of a suite stand before its tests, so these wait in memory. */
#include "result/junit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "digest/array.h"
#include "qdiff/memory_stream.h"
#include "qdiff/utf8.h"
#include "result/tap.h"
#include "text/overwrite.h"

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";

/* --- XML ----------------------------------------------------------------------------------------- */

/* Length of a character that XML 1.0 allows; 0 if it is none: bytes that are no UTF-8, most control characters,
 * U+FFFE and U+FFFF. */
static unsigned xml_length(const char *text)
{
    unsigned length = qd_utf8_length(text, QD_UTF8_MOST);

    if (length == 1 && (unsigned char)*text < 0x20 && !strchr("\t\n\r", *text))
        return 0;
    if (length == 3 &&
        (memcmp(text, "\xEF\xBF\xBE", 3) == 0 || memcmp(text, "\xEF\xBF\xBF", 3) == 0))
        return 0;
    return length;
}

static const char *entity(char c, bool attribute)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '\r': return "&#13;";
    case '"': return attribute ? "&quot;" : NULL;
    case '\n': return attribute ? "&#10;" : NULL;
    case '\t': return attribute ? "&#9;" : NULL;
    default: return NULL;
    }
}

void qd_xml_text(FILE *out, const char *text, bool attribute)
{
    while (*text != '\0') {
        unsigned length = xml_length(text);
        const char *escaped = entity(*text, attribute);

        if (length == 0)
            fputc('?', out);
        else if (escaped)
            fputs(escaped, out);
        else
            fwrite(text, 1, length, out);
        text += length == 0 ? 1 : length;
    }
}

static void attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    qd_xml_text(out, value, true);
    fputc('"', out);
}

/* --- Suites -------------------------------------------------------------------------------------- */

static bool make_suite(struct qd_junit *junit, const char *name)
{
    struct qd_junit_suite *suites =
        qd_array_grow(junit->suites, junit->count, &junit->capacity, sizeof *suites);

    if (!suites)
        return false;
    junit->suites = suites;
    struct qd_junit_suite *suite = &junit->suites[junit->count++];
    *suite = (struct qd_junit_suite){.name = strdup(name)};
    return suite->name != NULL;
}

/* The suite of that name. NULL when out of memory. */
static struct qd_junit_suite *find_suite(struct qd_junit *junit, const char *name)
{
    for (size_t i = 0; i < junit->count; i++)
        if (junit->suites[i].name && strcmp(junit->suites[i].name, name) == 0)
            return &junit->suites[i];
    return make_suite(junit, name) ? &junit->suites[junit->count - 1] : NULL;
}

/* Opens the text of one test; close_test() adds it to the suite. NULL when out of memory. */
static struct qd_junit_suite *open_test(struct qd_junit *junit, const char *suite_name,
                                        struct qd_memory_stream *test)
{
    struct qd_junit_suite *suite = find_suite(junit, suite_name);

    if (suite && qd_memory_open(test))
        return suite;
    junit->lost = true;
    return NULL;
}

static void close_test(struct qd_junit *junit, struct qd_junit_suite *suite,
                       struct qd_memory_stream *test)
{
    bool written = qd_memory_close(test);
    char *grown = written ? realloc(suite->text, suite->size + test->size + 1) : NULL;

    if (grown) {
        memcpy(grown + suite->size, test->text, test->size + 1);
        suite->text = grown;
        suite->size += test->size;
        suite->tests++;
    }
    junit->lost = junit->lost || !grown;
    free(test->text);
}

/* --- Tests --------------------------------------------------------------------------------------- */

static void begin_test(FILE *out, const char *name, const char *class)
{
    fputs("    <testcase", out);
    attribute(out, "name", name);
    attribute(out, "classname", class);
    fputc('>', out);
}

/* What TAP says of the result. */
static void write_block(FILE *out, const struct qd_result *result)
{
    struct qd_memory_stream block;

    bool open = qd_memory_open(&block);
    if (open)
        qd_tap_block(block.out, result);
    bool whole = open && qd_memory_close(&block);
    qd_xml_text(out, whole ? block.text : "no memory for what was seen", false);
    free(block.text);
}

static void write_outcome(FILE *out, const struct qd_result *result, const char *element)
{
    bool judged = qd_result_has_comparison(result);
    const char *word = judged && result->kind == QD_RESULT_FAIL
                           ? qd_verdict_word(result->comparison.verdict)
                           : qd_result_word(result->kind);
    const char *meaning = judged && result->kind == QD_RESULT_FAIL
                              ? qd_verdict_meaning(result->comparison.verdict)
                              : qd_result_meaning(result->kind);

    fprintf(out, "<%s", element);
    attribute(out, "type", word);
    attribute(out, "message", judged ? meaning : result->why);
    fputs(">\n", out);
    write_block(out, result);
    fprintf(out, "</%s>", element);
}

static void write_skipped(FILE *out, const char *what, const char *why)
{
    fputs("<skipped", out);
    attribute(out, "type", what);
    attribute(out, "message", why);
    fputs("/>", out);
}

static void write_test(FILE *out, const struct qd_result *result, struct qd_junit_suite *suite)
{
    const char *reason = result->issue[0] != '\0' ? result->issue : result->reason;

    begin_test(out, result->id, result->op[0] != '\0' ? result->op : "input");
    switch (result->kind) {
    case QD_RESULT_PASS: break;
    case QD_RESULT_KNOWN:
        write_skipped(out, qd_result_word(result->kind), reason);
        suite->skipped++;
        break;
    case QD_RESULT_ADVISORY:
        write_skipped(out, qd_result_word(result->kind), result->clause);
        suite->skipped++;
        break;
    case QD_RESULT_SKIP:
        write_skipped(out, qd_result_word(result->kind), result->why);
        suite->skipped++;
        break;
    case QD_RESULT_FAIL:
    case QD_RESULT_FIXED:
        write_outcome(out, result, "failure");
        suite->failures++;
        break;
    default:
        write_outcome(out, result, "error");
        suite->errors++;
        break;
    }
    fputs("</testcase>\n", out);
}

void qd_junit_result(struct qd_junit *junit, const struct qd_result *result)
{
    struct qd_memory_stream test;

    if (!junit->path)
        return;
    struct qd_junit_suite *suite =
        open_test(junit, result->target[0] != '\0' ? result->target : "qdiff", &test);
    if (!suite)
        return;
    write_test(test.out, result, suite);
    close_test(junit, suite, &test);
}

void qd_junit_failure(struct qd_junit *junit, const char *description)
{
    struct qd_memory_stream test;
    struct qd_junit_suite *suite = junit->path ? open_test(junit, "qdiff", &test) : NULL;

    if (!suite)
        return;
    begin_test(test.out, description, "run");
    fputs("<failure", test.out);
    attribute(test.out, "type", "run");
    attribute(test.out, "message", description);
    fputs("/></testcase>\n", test.out);
    suite->failures++;
    close_test(junit, suite, &test);
}

/* --- The file ------------------------------------------------------------------------------------ */

enum qd_status qd_junit_begin(struct qd_junit *junit, const char *path, struct qd_error *error)
{
    *junit = (struct qd_junit){.path = NULL};
    if (!path)
        return QD_OK;
    if (!qd_may_overwrite(path, head))
        return qd_fail(error, QD_USAGE, "--junit %s: the file exists and is no JUnit file", path);
    FILE *out = fopen(path, "we");
    if (!out)
        return qd_fail(error, QD_USAGE, "--junit %s: %s", path, strerror(errno));
    fclose(out);
    junit->path = path;
    return QD_OK;
}

static void write_counts(FILE *out, size_t tests, size_t failures, size_t errors)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tests, failures, errors);
}

static void write_suite(FILE *out, const struct qd_junit_suite *suite)
{
    fputs("  <testsuite", out);
    attribute(out, "name", suite->name ? suite->name : "");
    write_counts(out, suite->tests, suite->failures, suite->errors);
    fprintf(out, " skipped=\"%zu\">\n", suite->skipped);
    if (suite->text)
        fwrite(suite->text, 1, suite->size, out);
    fputs("  </testsuite>\n", out);
}

static bool write_file(const struct qd_junit *junit)
{
    struct qd_junit_suite sum = {.name = NULL};
    FILE *out = fopen(junit->path, "we");

    if (!out)
        return false;
    for (size_t i = 0; i < junit->count; i++) {
        sum.tests += junit->suites[i].tests;
        sum.failures += junit->suites[i].failures;
        sum.errors += junit->suites[i].errors;
    }
    fputs(head, out);
    attribute(out, "name", "qdiff");
    write_counts(out, sum.tests, sum.failures, sum.errors);
    fputs(">\n", out);
    for (size_t i = 0; i < junit->count; i++)
        write_suite(out, &junit->suites[i]);
    fputs("</testsuites>\n", out);
    bool written = !ferror(out);
    return fclose(out) == 0 && written;
}

enum qd_status qd_junit_end(struct qd_junit *junit, struct qd_error *error)
{
    enum qd_status status = QD_OK;

    if (junit->path && (junit->lost || !write_file(junit)))
        status =
            qd_fail(error, QD_INTERNAL, "--junit %s: cannot write the whole file", junit->path);
    for (size_t i = 0; i < junit->count; i++) {
        free(junit->suites[i].name);
        free(junit->suites[i].text);
    }
    free(junit->suites);
    *junit = (struct qd_junit){.path = NULL};
    return status;
}
