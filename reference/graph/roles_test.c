/* What an operator's inputs are to a quantizer, by their names.
 * Alone: <build>/tests/reference/graph/roles_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/evaluate.h"

/* A letter an input: d data, s scale, z zero point, b bias; by the operators' specifications. */
static const struct {
    const char *domain, *name, *roles;
} rows[] = {{"", "QLinearConv", "dszdszszb"},
            {"", "QLinearMatMul", "dszdszsz"},
            {"", "Conv", "ddb"},
            {"", "Gemm", "ddb"},
            {"", "QuantizeLinear", "dsz"},
            {"", "MatMulInteger", "ddzz"},
            {"com.microsoft", "QGemm", "dszdszbsz"},
            {"com.microsoft", "QLinearAdd", "dszdszsz"},
            {"com.microsoft", "QLinearConcat", "szdszdsz"},
            {"com.microsoft", "MatMulIntegerToFloat", "ddsszzb"},
            {"com.microsoft", "DynamicQuantizeMatMul", "ddszb"},
            {"com.microsoft", "MatMulNBits", "ddszdb"}};

static void test_roles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct qd_op *op = qd_op_find(rows[i].domain, rows[i].name);
        char have[16] = "";
        assert_non_null(op);
        for (size_t j = 0; j < strlen(rows[i].roles); j++)
            have[j] = "dszb"[qd_op_role(op, j)];
        if (strcmp(have, rows[i].roles) != 0)
            fail_msg("%s: want %s, have %s", rows[i].name, rows[i].roles, have);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roles)};
    return cmocka_run_group_tests_name("roles of operands", tests, NULL, NULL);
}
