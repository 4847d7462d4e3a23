/* SPDX-License-Identifier: Apache-2.0 */
/* Float graphs and requests of the fuzzer: the same seed gives the same case, nearly all are models that the reference
 * evaluates, every operator comes up, and what is mutated stays a case of the quantizer role.
 * Alone: <build>/tests/fuzz/generate_float_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/mutate_case.h"
#include "qdiff/quantizer.h"

enum { CASES = 400, ROOM = 1 << 20 };

static size_t make(struct qd_arena *arena, uint64_t seed, uint8_t *bytes, size_t size)
{
    size_t made = qd_mutate_request(arena, bytes, size, ROOM, seed);
    assert_true(made > 0 && made <= ROOM);
    return made;
}

static void test_cases_are_of_the_role(void **state)
{
    (void)state;
    static uint8_t bytes[ROOM], again[ROOM];
    static const char *const ops[] = {"Add",     "AveragePool", "Clip",   "Concat",  "Conv",
                                      "Flatten", "Gemm",        "MatMul", "MaxPool", "Mul",
                                      "Relu",    "Reshape",     "Slice",  "Softmax", "Transpose"};
    size_t seen[sizeof ops / sizeof *ops] = {0}, ranges = 0, refusals = 0, dynamic = 0;
    struct qd_arena arena, work;
    qd_arena_init(&arena, QD_FUZZ_MEMORY);
    qd_arena_init(&work, QD_FUZZ_MEMORY);
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct qd_case kase;
        struct qd_quantizer_request request;
        struct qd_error error;
        size_t size = make(&arena, seed, bytes, 0);
        assert_int_equal(make(&arena, seed, again, 0), size);
        assert_memory_equal(bytes, again, size);
        qd_arena_reset(&work);
        assert_int_equal(qd_case_decode(bytes, size, &work, &kase, &error), QD_OK);
        assert_int_equal(qd_quantizer_request_of(&kase, &work, &request, &error), QD_OK);
        struct qd_value *values = qd_arena_array(&work, kase.graph->output_count, sizeof *values);
        assert_int_equal(qd_graph_evaluate(kase.graph, kase.inputs, NULL, &work, values, &error),
                         QD_OK);
        ranges += request.range_count;
        refusals += qd_quantizer_must_refuse(&request);
        dynamic += request.options.scheme == QD_QUANTIZER_DYNAMIC;
        for (size_t n = 0; n < kase.graph->node_count; n++)
            for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
                seen[i] += strcmp(kase.graph->nodes[n].op_type, ops[i]) == 0;
        /* a mutant of it is one too */
        size = make(&arena, seed + CASES, bytes, size);
        assert_int_equal(qd_case_decode(bytes, size, &work, &kase, &error), QD_OK);
        assert_int_equal(qd_quantizer_request_of(&kase, &work, &request, &error), QD_OK);
    }
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (seen[i] == 0)
            fail_msg("no %s in %d cases", ops[i], CASES);
    assert_true(ranges > 2 * CASES && refusals > 0 && refusals < CASES / 10);
    assert_true(dynamic > CASES / 10 && dynamic < CASES / 2);
    qd_arena_clear(&work);
    qd_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases_are_of_the_role)};
    return cmocka_run_group_tests_name("float graphs", tests, NULL, NULL);
}
