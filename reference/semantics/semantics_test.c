/* SPDX-License-Identifier: Apache-2.0 */
/* The switches: the table of reference/README.md says of every value what the list says, and of no
 * other; a value parses by its word, a quirk only where quirks are allowed.
 * Alone: <build>/tests/reference/semantics/semantics_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/semantics.h"

enum { MAX_TEXT = 1 << 16, COLUMNS = 4 };

/* The table under "## Switches": columns switch, default, dialects, quirks. */
struct table {
    char text[MAX_TEXT];
    const char *section;
    size_t words, listed;
};

static int load(void **state)
{
    static struct table table;
    FILE *file = fopen(QD_SOURCE_DIR "/reference/README.md", "r");
    if (!file)
        return -1;
    size_t size = fread(table.text, 1, sizeof table.text - 1, file);
    fclose(file);
    table.text[size] = '\0';
    table.section = strstr(table.text, "## Switches");
    *state = &table;
    return table.section ? 0 : -1;
}

/* Column `column` of the row whose first word is `key`, into cell. */
static bool find_cell(const struct table *table, const char *key, unsigned column, char *cell,
                      size_t size)
{
    char start[64];
    snprintf(start, sizeof start, "\n| %s ", key);
    const char *at = strstr(table->section, start);
    if (!at)
        return false;
    at += 2;
    for (unsigned i = 0; i < column; i++) {
        at = strchr(at, '|');
        if (!at)
            return false;
        at++;
    }
    snprintf(cell, size, "%.*s", (int)strcspn(at, "|\n"), at);
    return true;
}

/* Words of a cell that are `word`; all of them for NULL. */
static size_t count_words(const char *cell, const char *word)
{
    size_t count = 0;
    for (const char *at = cell + strspn(cell, " ,"); *at != '\0';) {
        size_t length = strcspn(at, " ,");
        count += !word || (strlen(word) == length && memcmp(at, word, length) == 0);
        at += length;
        at += strspn(at, " ,");
    }
    return count;
}

static void look_up(void *context, const char *key, const char *value, const char *kind)
{
    struct table *table = context;
    unsigned column = strcmp(kind, "default") == 0 ? 1 : strcmp(kind, "dialect") == 0 ? 2 : 3;
    char cell[512];
    table->listed++;
    if (!find_cell(table, key, column, cell, sizeof cell))
        fail_msg("README.md has no row of the switch %s", key);
    if (count_words(cell, value) != 1)
        fail_msg("README.md, switch %s: column %u '%s' lacks '%s'", key, column, cell, value);
    for (unsigned i = 1; column == 1 && i < COLUMNS; i++) {
        assert_true(find_cell(table, key, i, cell, sizeof cell));
        table->words += count_words(cell, NULL);
    }
}

static void readme_has_every_value_and_no_other(void **state)
{
    struct table *table = *state;
    qd_semantics_visit(look_up, table);
    assert_true(table->listed > 40);
    assert_int_equal(table->words, table->listed);
}

static void parse(void *context, const char *key, const char *value, const char *kind)
{
    size_t *parsed = context;
    char text[96];
    struct qd_semantics semantics;
    struct qd_error error;
    bool quirk = strcmp(kind, "quirk") == 0;
    snprintf(text, sizeof text, "%s=%s", key, value);
    assert_int_equal(qd_semantics_parse(text, true, &semantics, &error), QD_OK);
    assert_int_equal(qd_semantics_parse(text, false, &semantics, &error), quirk ? QD_USAGE : QD_OK);
    (*parsed)++;
}

static void every_value_parses(void **state)
{
    (void)state;
    size_t parsed = 0;
    struct qd_semantics semantics;
    struct qd_error error;
    qd_semantics_visit(parse, &parsed);
    assert_true(parsed > 40);
    assert_int_equal(qd_semantics_parse("rounding=up", true, &semantics, &error), QD_USAGE);
    assert_non_null(strstr(error.text, "half-even"));
    assert_int_equal(qd_semantics_parse("round=floor", true, &semantics, &error), QD_USAGE);
    assert_int_equal(qd_semantics_parse("rounding=half-up+range=wrap", true, &semantics, &error),
                     QD_OK);
    assert_int_equal(semantics.rounding, QD_ROUND_HALF_UP);
    assert_int_equal(semantics.range, QD_RANGE_WRAP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readme_has_every_value_and_no_other),
        cmocka_unit_test(every_value_parses),
    };
    return cmocka_run_group_tests_name("semantics", tests, load, NULL);
}
