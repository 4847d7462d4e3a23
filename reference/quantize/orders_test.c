/* SPDX-License-Identifier: Apache-2.0 */
/* The table of orders in README.md has the formulas that orders.h evaluates, and no others.
 * Alone: <build>/tests/reference/quantize/orders_test */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "quantize/orders.h"

enum { MOST_FORMULAS = 16, FORMULA = 80 };

struct formulas {
    size_t count;
    char text[MOST_FORMULAS][FORMULA];
};

#define ORDER_TEXT(operation, x, y) #operation "(" #x ", " #y ")",
#define FACTOR_TEXT(m) "times(a, " #m ")",

/* Each list, and what its row of the table begins with. */
static const struct {
    const char *row;
    const char *orders[MOST_FORMULAS + 1];
} lists[] = {
    {"requantize one product", {QD_ORDERS_REQUANTIZE(FACTOR_TEXT, ORDER_TEXT)}},
    {"one code between scales", {QD_ORDERS_RESCALE(ORDER_TEXT)}},
    {"a product of two codes", {QD_ORDERS_MULTIPLY(ORDER_TEXT)}},
    {"a sum of two codes", {QD_ORDERS_ADD(ORDER_TEXT)}},
    {"a mean of codes", {QD_ORDERS_MEAN(ORDER_TEXT) QD_ORDERS_MEAN_BY_PRODUCT(ORDER_TEXT)}},
};

static const struct {
    const char *name, *sign;
} operations[] = {{"times", "·"}, {"over", "/"}, {"plus", " + "}};

/* Writes what order[*at] begins with as a formula: "times(a, over(s, y))" as "a·(s/y)". A product
 * or a quotient inside another is in parentheses, not inside a sum. */
static void write_formula(const char *order, size_t *at, const char *outer, char *formula)
{
    size_t length = strcspn(order + *at, "(,) ");
    const char *word = order + *at;
    char name[8], inner[2][FORMULA];
    assert_true(length > 0 && length < sizeof name);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    *at += length;
    if (order[*at] != '(') {
        snprintf(formula, FORMULA, "%s", strcmp(name, "one") == 0 ? "1" : name);
        return;
    }
    ++*at;
    if (strcmp(name, "ends") == 0) { /* of the operation that it stands around */
        write_formula(order, at, outer, formula);
        ++*at;
        return;
    }
    write_formula(order, at, name, inner[0]);
    assert_memory_equal(order + *at, ", ", 2);
    *at += 2;
    write_formula(order, at, name, inner[1]);
    assert_int_equal(order[*at], ')');
    ++*at;
    size_t i = 0;
    while (i < 3 && strcmp(operations[i].name, name) != 0)
        i++;
    assert_true(i < 3);
    bool bare = !*outer || (strcmp(outer, "plus") == 0 && i < 2);
    snprintf(formula, FORMULA, "%s%.30s%s%.30s%s", bare ? "" : "(", inner[0], operations[i].sign,
             inner[1], bare ? "" : ")");
}

static struct formulas formulas_of_list(size_t list)
{
    struct formulas formulas = {0};
    for (const char *const *order = lists[list].orders; *order; order++) {
        size_t at = 0;
        write_formula(*order, &at, "", formulas.text[formulas.count++]);
        assert_int_equal((*order)[at], '\0');
    }
    return formulas;
}

/* What stands between backticks in the second column. */
static struct formulas formulas_of_row(const char *row)
{
    struct formulas formulas = {0};
    const char *at = strchr(row + 1, '|'), *end = strchr(at + 1, '|');
    while ((at = strchr(at, '`')) && at < end) {
        size_t length = strcspn(++at, "`");
        assert_true(formulas.count < MOST_FORMULAS && length < FORMULA);
        snprintf(formulas.text[formulas.count++], FORMULA, "%.*s", (int)length, at);
        at += length + 1;
    }
    return formulas;
}

static bool has(const struct formulas *formulas, const char *text)
{
    for (size_t i = 0; i < formulas->count; i++)
        if (strcmp(formulas->text[i], text) == 0)
            return true;
    return false;
}

static void compare(size_t list, const char *row)
{
    struct formulas want = formulas_of_list(list), have = formulas_of_row(row);
    for (size_t i = 0; i < want.count; i++)
        if (!has(&have, want.text[i]))
            fail_msg("row \"%s\": no %s, which orders.h evaluates", lists[list].row, want.text[i]);
    for (size_t i = 0; i < have.count; i++)
        if (!has(&want, have.text[i]))
            fail_msg("row \"%s\": %s, which orders.h does not evaluate", lists[list].row,
                     have.text[i]);
    assert_int_equal(have.count, want.count);
}

static void readme_has_the_orders_of_the_code(void **state)
{
    (void)state;
    FILE *file = fopen(QD_SOURCE_DIR "/reference/README.md", "r");
    char line[4096];
    size_t compared = 0, rows = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        rows += line[0] == '|' && strstr(line, "orders.h`");
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            if (strncmp(line, "| ", 2) == 0 &&
                strncmp(line + 2, lists[i].row, strlen(lists[i].row)) == 0) {
                compare(i, line);
                compared++;
            }
    }
    fclose(file);
    assert_int_equal(compared, sizeof lists / sizeof *lists);
    assert_int_equal(rows, compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readme_has_the_orders_of_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
