/* SPDX-License-Identifier: Apache-2.0 */
/* Cases with an open axis as fuzzers make them, and what the reducer makes of what they show.
 * Alone: <build>/tests/fuzz/open_axis_test */
#include "qdiff/open_axis.h"
#include "qdiff/reducer.h"
#include "stock_testlib.h"
#include "targets_testlib.h"

#define DRAWS 8000 /* enough that what one in 250 has varies by a fifth only */
#define LONGEST 64 /* of the lengths that are told apart */

/* The inputs with an open axis. */
static size_t open_inputs(const struct qd_case *kase)
{
    size_t open = 0;
    for (size_t i = 0; i < kase->input_count; i++)
        open += qd_graph_open_axes(&kase->graph->values[kase->graph->inputs[i]]) != 0;
    return open;
}

/* --- What is made ------------------------------------------------------------------------------- */

struct census {
    size_t open, steps, several_inputs;
    size_t sequences;      /* after steps with closed axes */
    bool lengths[LONGEST]; /* that axes have in steps */
};

static void draw(struct fixture *f, size_t size, unsigned seed, struct qd_case *kase)
{
    struct qd_error error;
    size = qd_mutate_case(&f->mutation, &f->arena, f->first, size, CAPACITY, seed);
    assert_true(size > 0);
    qd_arena_reset(&f->other);
    assert_ok(qd_case_decode(f->first, size, &f->other, kase, &error), error);
}

/* Every open axis has another length in every step, and the others have their own. */
static void check_step(const struct qd_case *kase, const struct qd_case_step *step,
                       struct census *census)
{
    assert_int_equal(step->model_size, 0);
    for (size_t i = 0; i < kase->input_count; i++) {
        uint32_t open = qd_graph_open_axes(&kase->graph->values[kase->graph->inputs[i]]);
        for (unsigned axis = 0; axis < kase->inputs[i].rank; axis++) {
            int64_t own = kase->inputs[i].dims[axis], other = step->inputs[i].dims[axis];
            assert_int_equal(open >> axis & 1, own != other);
            if (own != other && other < LONGEST)
                census->lengths[other] = true;
        }
    }
}

static void check_open(struct fixture *f, const struct qd_case *kase, struct census *census)
{
    struct qd_evaluated evaluated;
    struct qd_error error;
    size_t open = open_inputs(kase);
    if (kase->step_count > 0) {
        assert_ok(qd_case_evaluate(kase, &f->other, &evaluated, &error), error);
        assert_true(qd_case_steps_are_right(kase, QD_FUZZ_WORK, &f->other));
    }
    census->sequences += kase->step_count > 0 && open == 0;
    if (open == 0)
        return;
    assert_true(kase->step_count > 0);
    for (size_t i = 0; i < kase->step_count; i++)
        check_step(kase, &kase->steps[i], census);
    census->open++;
    census->steps += kase->step_count;
    census->several_inputs += open > 1;
}

/* A draw in eight opens an axis, if that is right; of those that are made of one, a part has one still. */
static void test_open_axes_are_drawn(void **state)
{
    struct fixture *f = *state;
    struct census generated = {.open = 0}, mutated = {.open = 0};
    struct qd_case kase;
    size_t different = 0, mutants = 0;
    for (unsigned seed = 0; seed < DRAWS; seed++) {
        draw(f, 0, seed, &kase);
        check_open(f, &kase, &generated);
        if (open_inputs(&kase) == 0)
            continue;
        uint8_t *bytes;
        size_t size;
        struct qd_error error;
        assert_ok(qd_case_encode(&kase, &f->other, &bytes, &size, &error), error);
        assert_memory_equal(bytes, f->first, size);
        draw(f, size, seed, &kase);
        check_open(f, &kase, &mutated);
        mutants++;
    }
    for (size_t i = 0; i < LONGEST; i++)
        different += generated.lengths[i];
    print_message("# of %d cases %zu with an open axis, %zu in several inputs, %zu steps of %zu "
                  "lengths; of their mutants %zu; %zu after other steps\n",
                  DRAWS, generated.open, generated.several_inputs, generated.steps, different,
                  mutated.open, generated.sequences);
    assert_in_range(generated.open, DRAWS / 20, DRAWS / 8);
    assert_in_range(generated.sequences, DRAWS / 40, DRAWS / 16);
    assert_true(generated.several_inputs > DRAWS / 1000 && different > 15);
    assert_true(generated.steps > generated.open + generated.open / 4);
    assert_in_range(mutated.open, mutants / 8, mutants * 4 / 5);
}

/* --- What is found and reduced ------------------------------------------------------------------ */

/* A target that keeps the lengths of its first run: it refuses other ones. */
static bool keeps_others(const struct qd_case *kase)
{
    const struct qd_case_step *first = kase->step_count > 0 ? kase->steps : NULL;
    bool other = false;
    for (size_t i = 0; first && i < kase->input_count; i++)
        other = other || !qd_tensor_same_shape(&first->inputs[i], &kase->inputs[i]);
    return other;
}

/* The answer that it is instead. */
static void answer(struct qd_trial *trial, struct qd_run run, enum qd_verdict verdict,
                   const char *words, struct qd_arena *arena)
{
    trial->run = run;
    trial->comparison = (struct qd_comparison){.verdict = verdict};
    trial->divergences = qd_arena_array(arena, 1, sizeof *trial->divergences);
    assert_non_null(trial->divergences);
    trial->divergence_count = 1;
    *trial->divergences = (struct qd_divergence){.class = verdict, .words = words};
}

static enum qd_status ask_keeper(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                                 struct qd_arena *arena, struct qd_trial *trial,
                                 struct qd_error *error)
{
    enum qd_status status = qd_role_kernel.ask(subject, evaluated, arena, trial, error);
    if (status != QD_OK || trial->skip || !keeps_others(evaluated->kase))
        return status;
    answer(trial, (struct qd_run){.outcome = QD_OUTCOME_REJECTED, .stage = QD_STAGE_RUN},
           QD_VERDICT_REJECTS_VALID, "mismatch on dim 'N'", arena);
    return QD_OK;
}

/* Whether the drawn case has an open axis, and the subject is wrong on it. */
static bool shows(struct fixture *f, struct qd_subject *subject, const struct qd_case *kase)
{
    static const struct qd_trial_options nothing_more = {.twins = NULL};
    struct qd_evaluated evaluated;
    struct qd_trial trial;
    struct qd_error error;
    if (open_inputs(kase) == 0)
        return false;
    assert_ok(qd_case_evaluate(kase, &f->other, &evaluated, &error), error);
    assert_ok(qd_trial_run(subject, &evaluated, &nothing_more, &f->other, &trial, &error), error);
    return trial.divergence_count > 0 && trial.citation.severity != QD_SEVERITY_ADVISORY;
}

/* The next drawn case with an open axis on which the subject diverges, reduced. */
static void find_and_reduce(struct fixture *f, struct qd_subject *subject, unsigned *seed,
                            struct qd_reduced *reduced)
{
    struct qd_case kase;
    struct qd_error error;
    const struct qd_reduce_options options = {.seconds = 60, .diagnose = {.seconds = 5}};
    do {
        assert_true(*seed < DRAWS);
        draw(f, 0, (*seed)++, &kase);
    } while (!shows(f, subject, &kase));
    assert_ok(qd_case_reduce(subject, &kase, &options, &f->arena, reduced, &error), error);
    print_message("# %s: %zu nodes, %lld elements, %zu steps, %zu open; before: %zu, %lld, %zu\n",
                  reduced->after.signature, reduced->size_after.nodes,
                  (long long)reduced->size_after.elements, reduced->kase.step_count,
                  open_inputs(&reduced->kase), reduced->size_before.nodes,
                  (long long)reduced->size_before.elements, kase.step_count);
}

/* What needs another length keeps one, of one step. */
static void test_a_kept_length_stays_open(void **state)
{
    struct fixture *f = *state;
    struct qd_target_role keeper = qd_role_kernel;
    struct qd_subject subject = qd_subject_of_session(
        qd_open("reference", &(struct qd_session_options){.in_process = true}));
    struct qd_reduced reduced;
    unsigned seed = 0;
    keeper.ask = ask_keeper;
    subject.role = &keeper;
    for (int i = 0; i < 20; i++) {
        find_and_reduce(f, &subject, &seed, &reduced);
        assert_int_equal(reduced.trial.comparison.verdict, QD_VERDICT_STATE_LEAK);
        assert_true(open_inputs(&reduced.kase) > 0);
        assert_int_equal(reduced.kase.step_count, 1);
        assert_true(keeps_others(&reduced.kase));
        assert_int_equal(reduced.size_after.nodes, 1);
        assert_true(reduced.size_after.elements <= reduced.size_before.elements);
    }
    qd_subject_close(&subject);
}

/* What needs none is named by a case without. */
static void test_what_needs_none_is_closed(void **state)
{
    struct fixture *f = *state;
    struct qd_subject subject = qd_subject_of_session(
        qd_open("quirk:round-half-away", &(struct qd_session_options){.in_process = true}));
    struct qd_reduced reduced;
    unsigned seed = 0;
    for (int i = 0; i < 3; i++) {
        find_and_reduce(f, &subject, &seed, &reduced);
        assert_int_equal(open_inputs(&reduced.kase), 0);
        assert_int_equal(reduced.kase.step_count, 0);
    }
    qd_subject_close(&subject);
}

/* A target that dies of a model that has an input of three elements, which may be a step's. */
static enum qd_status ask_mortal(struct qd_subject *subject, const struct qd_evaluated *evaluated,
                                 struct qd_arena *arena, struct qd_trial *trial,
                                 struct qd_error *error)
{
    const struct qd_case *kase = evaluated->kase;
    struct qd_run death = {.outcome = QD_OUTCOME_CRASH, .stage = QD_STAGE_RUN, .signal = 11};
    bool dies = kase->inputs[0].count == 3;
    for (size_t i = kase->step_count; i-- > 0;)
        if (kase->steps[i].inputs[0].count == 3) {
            dies = true;
            death.step = (uint32_t)i + 1;
            death.stage = QD_STAGE_LOAD; /* as workers have it */
        }
    enum qd_status status = qd_role_kernel.ask(subject, evaluated, arena, trial, error);
    if (status == QD_OK && dies)
        answer(trial, death, QD_VERDICT_CRASH, "signal 11", arena);
    return status;
}

/* What the target dies of in a step is the case: its rows know it, and the model after it has no
 * part in it. */
static void test_a_step_becomes_the_case(void **state)
{
    struct fixture *f = *state;
    struct qd_target_role mortal = qd_role_kernel;
    struct qd_subject subject = qd_subject_of_session(
        qd_open("reference", &(struct qd_session_options){.in_process = true}));
    struct qd_case kase, other;
    struct qd_reduced reduced;
    struct qd_error error;
    const struct qd_reduce_options options = {.seconds = 60};
    mortal.ask = ask_mortal;
    subject.role = &mortal;
    qd_arena_reset(&f->arena);
    qd_identity_case(&other, &f->arena, QD_S8, 3);
    qd_identity_case(&kase, &f->arena, QD_U8, 10);
    const struct qd_case_step steps[] = {{.graph = kase.graph, .inputs = kase.inputs, .runs = 1},
                                         {.model = other.model,
                                          .model_size = other.model_size,
                                          .graph = other.graph,
                                          .inputs = other.inputs,
                                          .runs = 1}};
    kase.steps = steps;
    kase.step_count = 2;
    assert_ok(qd_case_reduce(&subject, &kase, &options, &f->arena, &reduced, &error), error);
    assert_int_equal(reduced.trial.comparison.verdict, QD_VERDICT_CRASH);
    assert_int_equal(reduced.kase.step_count, 0);
    assert_int_equal(reduced.kase.inputs[0].dtype, QD_S8);
    assert_int_equal(reduced.kase.inputs[0].count, 3);
    qd_subject_close(&subject);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_open_axes_are_drawn),
                                       cmocka_unit_test(test_a_kept_length_stays_open),
                                       cmocka_unit_test(test_a_step_becomes_the_case),
                                       cmocka_unit_test(test_what_needs_none_is_closed)};
    return cmocka_run_group_tests_name("fuzz/open_axis", tests, stock_set_up, stock_tear_down);
}
