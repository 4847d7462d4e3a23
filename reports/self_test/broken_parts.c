/* SPDX-License-Identifier: Apache-2.0 */
/* Deliberately broken parts of the harness: what a self-test that is worth its name goes red on. */
#include <math.h>
#include <string.h>

#include "self_test/kill_matrix.h"

enum { SAMPLE = 25 }; /* every so manieth case */

/* A copy of the outputs that may be changed; NULL where there are none or memory is short. */
static struct qd_tensor *copy_outputs(const struct qd_case *kase, const struct qd_run *run,
                                      struct qd_arena *arena)
{
    size_t count = kase->graph->output_count;
    struct qd_tensor *outputs = NULL;

    if (run->outcome == QD_OUTCOME_OUTPUTS && run->outputs)
        outputs = qd_arena_copy(arena, run->outputs, count * sizeof *outputs);
    for (size_t i = 0; outputs && i < count; i++)
        outputs[i].data = qd_arena_copy(arena, outputs[i].data, qd_tensor_bytes(&outputs[i]));
    return outputs;
}

/* Compares after `forgive` has put the wanted value in place of what it overlooks. */
static void compare_forgiving(const struct qd_case *kase, const struct qd_value *values,
                              const struct qd_run *run, struct qd_comparison *comparison,
                              bool (*forgive)(size_t output, const struct qd_tensor *want,
                                              const struct qd_tensor *have, int64_t i))
{
    struct qd_arena arena;
    struct qd_run changed = *run;

    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    changed.outputs = values ? copy_outputs(kase, run, &arena) : NULL;
    for (size_t o = 0; changed.outputs && o < kase->graph->output_count; o++) {
        const struct qd_tensor *want = &values[o].want;
        struct qd_tensor *have = &changed.outputs[o];
        bool alike = have->dtype == want->dtype && have->count == want->count;

        for (int64_t i = 0; alike && i < have->count; i++)
            if (forgive(o, want, have, i))
                qd_tensor_set(have, i, qd_tensor_get(want, i));
    }
    if (!changed.outputs)
        changed.outputs = run->outputs;
    qd_compare(kase, values, &changed, comparison);
    qd_arena_clear(&arena);
}

static bool is_last(size_t output, const struct qd_tensor *want, const struct qd_tensor *have,
                    int64_t i)
{
    (void)output, (void)want;
    return i == have->count - 1;
}

static void compare_all_but_last(const struct qd_case *kase, const struct qd_value *values,
                                 const struct qd_run *run, struct qd_comparison *comparison)
{
    compare_forgiving(kase, values, run, comparison, is_last);
}

static bool is_close(size_t output, const struct qd_tensor *want, const struct qd_tensor *have,
                     int64_t i)
{
    double w = qd_tensor_value(want, i), h = qd_tensor_value(have, i);

    (void)output;
    return fabs(w - h) <= 0.01 * fabs(w) + 1e-6;
}

static void compare_with_tolerance(const struct qd_case *kase, const struct qd_value *values,
                                   const struct qd_run *run, struct qd_comparison *comparison)
{
    compare_forgiving(kase, values, run, comparison, is_close);
}

static bool is_further_output(size_t output, const struct qd_tensor *want,
                              const struct qd_tensor *have, int64_t i)
{
    (void)want, (void)have, (void)i;
    return output > 0;
}

static void compare_first_output(const struct qd_case *kase, const struct qd_value *values,
                                 const struct qd_run *run, struct qd_comparison *comparison)
{
    compare_forgiving(kase, values, run, comparison, is_further_output);
}

static void take_for_pass(enum qd_outcome overlooked, const struct qd_case *kase,
                          const struct qd_value *values, const struct qd_run *run,
                          struct qd_comparison *comparison)
{
    qd_compare(kase, values, run, comparison);
    if (run->outcome == overlooked)
        comparison->verdict = QD_VERDICT_EXACT;
}

static void pass_crash(const struct qd_case *kase, const struct qd_value *values,
                       const struct qd_run *run, struct qd_comparison *comparison)
{
    take_for_pass(QD_OUTCOME_CRASH, kase, values, run, comparison);
}

static void pass_refusal(const struct qd_case *kase, const struct qd_value *values,
                         const struct qd_run *run, struct qd_comparison *comparison)
{
    take_for_pass(QD_OUTCOME_REJECTED, kase, values, run, comparison);
}

static void pass_unwritten(const struct qd_case *kase, const struct qd_value *values,
                           const struct qd_run *run, struct qd_comparison *comparison)
{
    take_for_pass(QD_OUTCOME_UNWRITTEN, kase, values, run, comparison);
}

static void pass_accepted(const struct qd_case *kase, const struct qd_value *values,
                          const struct qd_run *run, struct qd_comparison *comparison)
{
    qd_compare(kase, values, run, comparison);
    if (comparison->verdict == QD_VERDICT_ACCEPTS_INVALID)
        comparison->verdict = QD_VERDICT_REJECTED;
}

/* The oracle, one code off in every integer output. */
static enum qd_status evaluate_one_off(const struct qd_graph *graph, const struct qd_tensor *inputs,
                                       const struct qd_semantics *semantics, struct qd_arena *arena,
                                       struct qd_value *outputs, struct qd_error *error)
{
    enum qd_status status = qd_graph_evaluate(graph, inputs, semantics, arena, outputs, error);

    for (size_t o = 0; status == QD_OK && o < graph->output_count; o++) {
        struct qd_tensor *want = &outputs[o].want;
        const struct qd_dtype_info *info = qd_dtype_info(want->dtype);

        for (int64_t i = 0; info->kind != QD_CLASS_FLOAT && i < want->count; i++) {
            int64_t code = qd_tensor_get(want, i);
            qd_tensor_set(want, i, code < info->max ? code + 1 : code - 1);
        }
        outputs[o].lo = info->kind != QD_CLASS_FLOAT ? NULL : outputs[o].lo;
    }
    return status;
}

/* The oracle, with an admissible set one code wider on both sides. */
static enum qd_status evaluate_widened(const struct qd_graph *graph, const struct qd_tensor *inputs,
                                       const struct qd_semantics *semantics, struct qd_arena *arena,
                                       struct qd_value *outputs, struct qd_error *error)
{
    enum qd_status status = qd_graph_evaluate(graph, inputs, semantics, arena, outputs, error);

    for (size_t o = 0; status == QD_OK && o < graph->output_count; o++) {
        status = qd_value_need_hull(&outputs[o], arena, error);
        for (int64_t i = 0; status == QD_OK && i < outputs[o].want.count; i++) {
            outputs[o].lo[i] -= 1;
            outputs[o].hi[i] += 1;
        }
    }
    return status;
}

/* --- A matrix that came about wrongly ------------------------------------------------------------- */

static void lose_case(struct qd_kill_matrix *matrix)
{
    if (matrix->case_count > 0)
        matrix->kills[matrix->case_count / 2] = (struct qd_kills){0};
}

static void leave_out_ties(struct qd_kill_matrix *matrix)
{
    size_t kept = 0;

    for (size_t i = 0; i < matrix->case_count; i++)
        if (!matrix->ties[i])
            matrix->kills[kept++] = matrix->kills[i];
    memset(matrix->ties, 0, matrix->case_count * sizeof *matrix->ties);
    matrix->case_count = kept;
}

static void leave_out_all(struct qd_kill_matrix *matrix)
{
    matrix->case_count = 0;
}

static void forget_quirk(struct qd_kill_matrix *matrix)
{
    for (size_t i = 0; i < matrix->case_count; i++)
        matrix->kills[i].bits[0] &= ~(uint64_t)1;
}

#define HARNESS(evaluator, comparer)                   \
    &(const struct qd_harness)                         \
    {                                                  \
        .evaluate = (evaluator), .compare = (comparer) \
    }

static const struct qd_broken_part parts[] = {
    {"comparison-skips-last-element", "the last element of every output counts as right",
     HARNESS(qd_graph_evaluate, compare_all_but_last), NULL},
    {"comparison-skips-further-outputs", "all outputs but the first count as right",
     HARNESS(qd_graph_evaluate, compare_first_output), NULL},
    {"comparison-with-tolerance", "what lies within one percent counts as right",
     HARNESS(qd_graph_evaluate, compare_with_tolerance), NULL},
    {"oracle-one-off", "the reference gives every integer one too high",
     HARNESS(evaluate_one_off, qd_compare), NULL},
    {"oracle-too-wide", "the admissible set reaches one further on both sides",
     HARNESS(evaluate_widened, qd_compare), NULL},
    {"crash-passes", "a target that dies passes", HARNESS(qd_graph_evaluate, pass_crash), NULL},
    {"refusal-passes", "a target that refuses a valid case passes",
     HARNESS(qd_graph_evaluate, pass_refusal), NULL},
    {"unwritten-passes", "a target that leaves an element unwritten passes",
     HARNESS(qd_graph_evaluate, pass_unwritten), NULL},
    {"acceptance-passes", "a target that takes a case it must refuse passes",
     HARNESS(qd_graph_evaluate, pass_accepted), NULL},
    {"runner-loses-case", "one case never ran", NULL, lose_case},
    {"suite-without-ties", "no case tagged tie is in the suite", NULL, leave_out_ties},
    {"suite-empty", "no case ran at all", NULL, leave_out_all},
    {"quirk-not-noticed", "no case notices the first quirk of the list", NULL, forget_quirk},
};

const struct qd_broken_part *qd_broken_part_at(size_t i)
{
    return i < sizeof parts / sizeof *parts ? &parts[i] : NULL;
}

/* With a broken harness the quirks are not asked: the answers known to be wrong have to do. */
static bool harness_is_red(const struct qd_kill_matrix *matrix)
{
    struct qd_self_test_counts v;

    qd_matrix_judge(matrix, &v);
    return v.false_alarms + v.blind > 0;
}

/* Red for a reason that was not there before. */
static bool is_worse(const struct qd_self_test_counts *before,
                     const struct qd_self_test_counts *after)
{
    return after->compared == 0 || after->lost > before->lost || after->holes > before->holes ||
           after->tie_holes > before->tie_holes;
}

static enum qd_status spoil(const struct qd_broken_part *part, const struct qd_kill_matrix *matrix,
                            struct qd_arena *arena, bool *noticed, struct qd_error *error)
{
    struct qd_kill_matrix copy = *matrix;
    struct qd_self_test_counts before, after;

    copy.kills = qd_arena_copy(arena, matrix->kills, matrix->case_count * sizeof *copy.kills);
    copy.ties = qd_arena_copy(arena, matrix->ties, matrix->case_count * sizeof *copy.ties);
    if (!copy.kills || !copy.ties)
        return qd_fail(error, QD_NO_MEMORY, "no memory for %zu cases", matrix->case_count);
    part->spoil(&copy);
    qd_matrix_judge(matrix, &before);
    qd_matrix_judge(&copy, &after);
    *noticed = !qd_self_test_is_green(&after) && is_worse(&before, &after);
    return QD_OK;
}

enum qd_status qd_broken_part_is_noticed(const struct qd_broken_part *part,
                                         const struct qd_matrix_plan *plan,
                                         const struct qd_kill_matrix *matrix,
                                         struct qd_arena *arena, bool *noticed,
                                         struct qd_error *error)
{
    const struct qd_matrix_plan sampling = {.selection = plan->selection,
                                            .harness = part->harness,
                                            .stride = SAMPLE,
                                            .interrupt = plan->interrupt};

    if (!part->harness)
        return spoil(part, matrix, arena, noticed, error);
    struct qd_kill_matrix sample;
    enum qd_status status = qd_matrix_make(&sampling, arena, &sample, error);
    if (status == QD_OK)
        *noticed = harness_is_red(&sample);
    return status;
}
