/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator's inputs are and which sentence it quotes, by its row.
 * Alone: <build>/tests/reference/graph/roles_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"

#define CLAUSE_BYTES 240 /* of a clause at most */

/* A letter an input: d data, w weight, s scale, z zero point, b bias, c control; by the operators' specifications. */
static const struct {
    const char *domain, *name, *roles;
} rows[] = {{"", "QLinearConv", "dszwszszb"},
            {"", "QLinearMatMul", "dszwszsz"},
            {"", "Conv", "dwb"},
            {"", "ConvTranspose", "dwb"},
            {"", "Gemm", "dwb"},
            {"", "Add", "dw"},
            {"", "QuantizeLinear", "dsz"},
            {"", "MatMulInteger", "dwzz"},
            {"", "Clip", "dcc"},
            {"", "Resize", "dccc"},
            {"", "Where", "cdd"},
            {"com.microsoft", "QGemm", "dszwszbsz"},
            {"com.microsoft", "QLinearAdd", "dszwszsz"},
            {"com.microsoft", "QLinearConcat", "szdszdsz"},
            {"com.microsoft", "QLinearWhere", "cdszdszsz"},
            {"com.microsoft", "QLinearReduceMean", "dszsz"},
            {"com.microsoft", "MatMulIntegerToFloat", "dwsszzb"},
            {"com.microsoft", "DynamicQuantizeMatMul", "dwszb"},
            {"com.microsoft", "MatMulNBits", "dwszcb"}};

static void test_roles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct qd_op *op = qd_op_find(rows[i].domain, rows[i].name);
        char have[16] = "";
        assert_non_null(op);
        for (size_t j = 0; j < strlen(rows[i].roles); j++)
            have[j] = "dszbwc"[qd_op_role(op, j)];
        if (strcmp(have, rows[i].roles) != 0)
            fail_msg("%s: want %s, have %s", rows[i].name, rows[i].roles, have);
    }
}

/* Whose an operand is: its owner's number, y for the output. */
static void test_owners(void **state)
{
    static const struct {
        const char *domain, *name;
        int parameter, owner;
    } owners[] = {{"", "QLinearConv", 5, 3},
                  {"", "QLinearConv", 7, QD_OPERAND_OUTPUT},
                  {"", "QuantizeLinear", 1, QD_OPERAND_OUTPUT},
                  {"", "DequantizeLinear", 2, 0},
                  {"", "MatMulInteger", 3, 1},
                  {"com.microsoft", "QGemm", 8, QD_OPERAND_OUTPUT},
                  {"com.microsoft", "QLinearAdd", 4, 3},
                  {"com.microsoft", "QLinearAdd", 6, QD_OPERAND_OUTPUT},
                  {"com.microsoft", "QLinearConcat", 1, QD_OPERAND_OUTPUT},
                  {"com.microsoft", "QLinearConcat", 6, 5},
                  {"com.microsoft", "QLinearWhere", 5, 4},
                  {"com.microsoft", "QLinearWhere", 7, QD_OPERAND_OUTPUT},
                  {"com.microsoft", "QLinearReduceMean", 4, QD_OPERAND_OUTPUT},
                  {"com.microsoft", "MatMulNBits", 2, 1},
                  {"com.microsoft", "MatMulNBits", 4, QD_NO_OPERAND}};
    (void)state;
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const struct qd_op *op = qd_op_find(owners[i].domain, owners[i].name);
        int have = qd_op_owner(op, (size_t)owners[i].parameter);
        if (have != owners[i].owner)
            fail_msg("%s, input %d: want owner %d, have %d", owners[i].name, owners[i].parameter,
                     owners[i].owner, have);
        if (have != QD_NO_OPERAND)
            assert_int_equal(qd_op_parameter(op, have, qd_op_role(op, (size_t)owners[i].parameter)),
                             owners[i].parameter);
    }
}

/* A word after a ':' that is none would pass for data. */
static void check_words(const struct qd_op *op)
{
    static const char *const words[] = {"weight", "bias", "scale", "zero_point", "control"};
    for (const char *at = strchr(op->operands, ':'); at; at = strchr(at, ':')) {
        size_t length = strcspn(++at, ","), i = 0;
        while (i < sizeof words / sizeof *words &&
               (strlen(words[i]) != length || memcmp(words[i], at, length) != 0))
            i++;
        if (i == sizeof words / sizeof *words)
            fail_msg("%s: '%.*s' is no role", op->name, (int)length, at);
    }
}

/* "OPSET: words", for one line of a report; older ones "OPSET<OPSET: words". That they are the page's own is for
 * scripts/prove-long clauses. */
static void check_clause_line(const struct qd_op *op, const char *line, long before)
{
    char *words;
    size_t length = strcspn(line, "\n");
    long opset = strtol(line, &words, 10);
    if (opset > QD_MAX_OPSET || opset >= before)
        fail_msg("%s: a clause of opset %ld, for models before %ld", op->name, opset, before);
    if (before <= QD_MAX_OPSET && *words == '<')
        strtol(words + 1, &words, 10);
    if (strncmp(words, ": ", 2) != 0 || !words[2])
        fail_msg("%s: the clause is '%.*s', not 'OPSET: words'", op->name, (int)length, line);
    if (length > CLAUSE_BYTES || memchr(line, '`', length) || memchr(line, '\t', length))
        fail_msg("%s: the clause has %zu bytes or markup", op->name, length);
}

static void check_clause(const struct qd_op *op)
{
    const char *words = op->clause, *before;
    if (!words)
        fail_msg("%s: no clause", op->name);
    if (strtol(words, NULL, 10) < op->since)
        fail_msg("%s: a clause from before the operator", op->name);
    check_clause_line(op, words, QD_MAX_OPSET + 1);
    for (const char *line = words; (line = strchr(line, '\n'));) {
        line++;
        before = line + strcspn(line, "<\n");
        check_clause_line(op, line, *before == '<' ? strtol(before + 1, NULL, 10) : 0);
    }
    bool rational = !strstr(words, "xp(") && !strstr(words, "xponential") &&
                    !strstr(words, "hyperbolic") && !strstr(words, "^0.5") &&
                    !strstr(words, "^exponent") && !strstr(words, "error function");
    if (op->approximate == rational)
        fail_msg("%s: approximate, and its clause names no such function, or the reverse",
                 op->name);
}

static size_t count_role(const struct qd_op *op, enum qd_role role)
{
    size_t count = 0;
    for (size_t i = 0; i < op->max_inputs; i++)
        count += qd_op_role(op, i) == role;
    return count;
}

static bool has_two(enum qd_form form)
{
    return form == QD_FORM_CONVOLVES || form == QD_FORM_CONVOLVES_BACK ||
           form == QD_FORM_MATRICES || form == QD_FORM_ADDS || form == QD_FORM_MULTIPLIES;
}

/* Every row says what each operand is, names it once, says how an element comes about, and
 * quotes a clause. */
static void test_every_operator(void **state)
{
    const struct qd_op *op;
    size_t length, ops = 0;
    (void)state;
    for (; (op = qd_op_at(ops)); ops++) {
        if (!op->operands || op->form == QD_FORM_NONE)
            fail_msg("%s: no %s", op->name, op->operands ? "form" : "operands");
        check_words(op);
        check_clause(op);
        for (size_t i = 0; i < op->max_inputs; i++) {
            qd_op_operand_name(op, i, &length);
            if (length == 0)
                fail_msg("%s: input %zu has no name", op->name, i);
            if (qd_op_is_parameter(op, i) && qd_op_owner(op, i) == QD_NO_OPERAND)
                fail_msg("%s: input %zu is nobody's parameter", op->name, i);
        }
        qd_op_operand_name(op, op->max_inputs, &length);
        if (!strchr(op->operands, '*') && length > 0)
            fail_msg("%s: takes %u inputs and names more", op->name, op->max_inputs);
        bool from_nothing =
            strcmp(op->name, "ConstantOfShape") == 0; /* its only operand is a shape */
        if ((!from_nothing && count_role(op, QD_ROLE_DATA) == 0) ||
            count_role(op, QD_ROLE_WEIGHT) > 1 ||
            (has_two(op->form) && count_role(op, QD_ROLE_WEIGHT) == 0))
            fail_msg("%s: no data, or no weight or two of them", op->name);
    }
    assert_true(ops > 60);
}

/* What is 0 or 1 is an attribute of the row. */
static void test_flags(void **state)
{
    size_t flags = 0;
    (void)state;
    for (size_t i = 0; qd_op_at(i); i++)
        for (const char *at = qd_op_at(i)->flags; at && *at; at += *at == ',') {
            size_t length = strcspn(at, ",");
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            if (!qd_op_is_flag(qd_op_at(i), name) || !strstr(qd_op_at(i)->attributes, name))
                fail_msg("%s: %s is no attribute", qd_op_at(i)->name, name);
            at += length;
            flags++;
        }
    assert_true(flags >= 20);
    assert_true(qd_op_is_flag(qd_op_find("", "Gemm"), "transB"));
    assert_false(qd_op_is_flag(qd_op_find("", "Gemm"), "trans"));
    assert_false(qd_op_is_flag(qd_op_find("", "Gemm"), "alpha"));
    assert_false(qd_op_is_flag(qd_op_find("", "Relu"), "transB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_owners),
        cmocka_unit_test(test_every_operator),
        cmocka_unit_test(test_flags),
    };
    return cmocka_run_group_tests_name("roles of operands", tests, NULL, NULL);
}
