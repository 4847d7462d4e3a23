/* SPDX-License-Identifier: Apache-2.0 */
/* The reference as a target that keeps something between runs and models, in ways that were seen in real runtimes:
 * the smoke level's cases that come after steps tell every one of them from a sound target, without a false alarm.
 * Alone: <build>/tests/targets/process/state_faults_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/transfer.h"
#include "qdiff/evaluate.h"
#include "qdiff/evaluated.h"
#include "qdiff/suite.h"
#include "targets_testlib.h"

#define BLOCK_BYTES ((size_t)16 << 20)
#define KEPT_BYTES ((size_t)1 << 20)
#define MOST_MODELS 8
#define MOST_INPUTS 16

enum fault {
    NONE,
    FIRST_ANSWER,    /* the first run's answer for ever */
    EVERY_THIRD_RUN, /* of a model is wrong */
    EVERY_FOURTH_RUN,
    EVERY_FIFTH_RUN,
    PACKED_WEIGHTS,  /* a model with the same weights is taken for one that is loaded */
    PARAMETERS_KEPT, /* one with the same scales and zero points for one that was loaded */
    SHARED_SCRATCH,  /* who runs after another model gets that one's answer, if it is as large */
    LAST_LOADED,     /* the model that was loaded last runs, whichever is asked */
    SAME_ADDRESSES, /* inputs at the addresses of the model's run before are taken for what they were then */
    NEVER_RUN, /* after a model that was loaded and never ran, the next run is wrong */
    FAULTS
};

static const char *const names[FAULTS] = {
    "none",           "first-answer",    "every-third-run", "every-fourth-run", "every-fifth-run",
    "packed-weights", "parameters-kept", "shared-scratch",  "last-loaded",      "same-addresses",
    "never-run"};

struct model {
    void *inner; /* NULL: a free place */
    bool loaded;
    unsigned runs;
    uint64_t weights, parameters;       /* of what they are */
    const void *addresses[MOST_INPUTS]; /* of the run before */
    uint8_t answer[KEPT_BYTES];
};

struct faulty {
    enum fault fault;
    const struct qd_target *api;
    void *inner;
    struct model models[MOST_MODELS], *last_loaded, *last_run;
    size_t scratch_size;
    uint8_t scratch[KEPT_BYTES];
    bool unrun;
};

/* --- What a model is ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* Constants of numbers, or of parameters, and the names of the operators; 0: there are none. */
static uint64_t hash_of(const struct qd_graph *graph, bool parameters)
{
    uint64_t hash = 0xcbf29ce484222325;
    bool some = false;
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct qd_node *node = &graph->nodes[n];
        hash = mix(hash, node->op_type, strlen(node->op_type));
        for (size_t i = 0; i < node->input_count; i++) {
            const struct qd_tensor *t =
                node->inputs[i] >= 0 ? graph->values[node->inputs[i]].initializer : NULL;
            if (!t || qd_op_is_parameter(node->op, i) != parameters)
                continue;
            hash = mix(mix(hash, t->data, qd_tensor_bytes(t)), t->dims, t->rank * sizeof *t->dims);
            some = true;
        }
    }
    return some ? hash : 0;
}

static void identify(struct model *model, const void *bytes, size_t size)
{
    struct qd_arena arena;
    struct qd_case kase;
    struct qd_error error;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_from_model(bytes, size, &arena, &kase, &error) == QD_OK) {
        model->weights = hash_of(kase.graph, false);
        model->parameters = hash_of(kase.graph, true);
    }
    qd_arena_clear(&arena);
}

/* --- The target ----------------------------------------------------------------------------------- */

static enum qd_target_status prepare(void *target, const void *bytes, size_t size, void **prepared,
                                     struct qd_target_message *message)
{
    struct faulty *f = target;
    size_t at = 0;
    while (at < MOST_MODELS && f->models[at].inner)
        at++;
    assert_true(at < MOST_MODELS);
    struct model *model = &f->models[at];
    memset(model, 0, offsetof(struct model, answer));
    enum qd_target_status status = f->api->prepare(f->inner, bytes, size, &model->inner, message);
    if (status != QD_TARGET_OK)
        return status;
    identify(model, bytes, size);
    model->loaded = true;
    f->last_loaded = model;
    *prepared = model;
    return QD_TARGET_OK;
}

/* The model that is taken for this one. */
static struct model *mistaken(struct faulty *f, struct model *model)
{
    if (f->fault == LAST_LOADED)
        return f->last_loaded->inner ? f->last_loaded : model;
    for (size_t i = 0; i < MOST_MODELS; i++) {
        struct model *other = &f->models[i];
        if (other == model || !other->inner)
            continue;
        if (f->fault == PACKED_WEIGHTS && other->loaded && model->weights &&
            other->weights == model->weights)
            return other;
        if (f->fault == PARAMETERS_KEPT && model->parameters &&
            other->parameters == model->parameters)
            return other;
    }
    return model;
}

static size_t bytes_of(const struct qd_target_tensor *outputs, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += outputs[i].size;
    return bytes;
}

static void copy_answer(uint8_t *kept, const struct qd_target_tensor *outputs, size_t count,
                        bool out)
{
    for (size_t i = 0; i < count; kept += outputs[i++].size)
        if (outputs[i].size > 0)
            memcpy(out ? outputs[i].data : (void *)kept, out ? (void *)kept : outputs[i].data,
                   outputs[i].size);
}

static void spoil(const struct qd_target_tensor *outputs)
{
    if (outputs[0].size > 0)
        *(uint8_t *)outputs[0].data ^= 1;
}

/* Whether inputs lie where they lay in the model's run before. */
static bool lies_as_before(struct model *model, const struct qd_target_tensor *inputs, size_t count)
{
    bool same = model->runs > 0 && count > 0;
    for (size_t i = 0; i < count && i < MOST_INPUTS; i++) {
        same = same && model->addresses[i] == inputs[i].data;
        model->addresses[i] = inputs[i].data;
    }
    return same;
}

/* What the fault makes of a right answer. */
static void fail_after(struct faulty *f, struct model *model, bool as_before,
                       struct qd_target_tensor *outputs, size_t count)
{
    static const unsigned every[FAULTS] = {
        [EVERY_THIRD_RUN] = 3, [EVERY_FOURTH_RUN] = 4, [EVERY_FIFTH_RUN] = 5};
    size_t bytes = bytes_of(outputs, count);
    if (bytes > KEPT_BYTES)
        return;
    bool again = model->runs++ > 0 &&
                 (f->fault == FIRST_ANSWER || (f->fault == SAME_ADDRESSES && as_before));
    copy_answer(model->answer, outputs, count, again);
    if (every[f->fault] > 0 && model->runs % every[f->fault] == 0)
        spoil(outputs);
    if (f->fault == SHARED_SCRATCH && f->last_run && f->last_run != model &&
        f->scratch_size == bytes)
        copy_answer(f->scratch, outputs, count, true);
    if (f->fault == NEVER_RUN && f->unrun)
        spoil(outputs);
    f->unrun = false;
    f->scratch_size = bytes;
    f->last_run = model;
    copy_answer(f->scratch, outputs, count, false);
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    struct faulty *f = target;
    struct model *model = prepared;
    enum qd_target_status status = f->api->run(f->inner, mistaken(f, model)->inner, inputs,
                                               input_count, outputs, output_count, message);
    if (status == QD_TARGET_OK)
        fail_after(f, model, lies_as_before(model, inputs, input_count), outputs, output_count);
    return status;
}

/* What the kept parameters need stays until the case is over. */
static void release(void *target, void *prepared)
{
    struct faulty *f = target;
    struct model *model = prepared;
    f->unrun = f->unrun || model->runs == 0;
    model->loaded = false;
    if (f->fault == PARAMETERS_KEPT)
        return;
    f->api->release(f->inner, model->inner);
    model->inner = NULL;
}

static const struct qd_target faulty_target = {
    .abi = QD_TARGET_ABI, .prepare = prepare, .run = run, .release = release};

static void forget(struct faulty *f)
{
    for (size_t i = 0; i < MOST_MODELS; i++)
        if (f->models[i].inner) {
            f->api->release(f->inner, f->models[i].inner);
            f->models[i].inner = NULL;
        }
    f->last_loaded = f->last_run = NULL;
    f->scratch_size = 0;
    f->unrun = false;
}

/* --- The suite ------------------------------------------------------------------------------------ */

struct census {
    struct faulty *faulty;
    void *block;
    size_t cases, told[FAULTS];
};

static bool tells(struct census *census, const struct qd_evaluated *evaluated,
                  struct qd_arena *arena)
{
    struct qd_transfer transfer;
    struct qd_error error;
    struct qd_run seen;
    struct qd_comparison comparison;
    if (qd_transfer_plan(&transfer, evaluated->kase, evaluated->shapes, BLOCK_BYTES, arena,
                         &error) != QD_OK)
        fail_msg("%s: %s", evaluated->kase->id, error.text);
    qd_transfer_write(&transfer, census->block);
    qd_transfer_execute(census->block, &faulty_target, census->faulty);
    forget(census->faulty);
    assert_int_equal(qd_transfer_judge(&transfer, census->block, arena, &seen, &error), QD_OK);
    qd_compare(evaluated->kase, evaluated->values, &seen, &comparison);
    return qd_verdict_is_divergence(comparison.verdict);
}

static enum qd_visit visit(void *context, const struct qd_case *kase)
{
    struct census *census = context;
    struct qd_arena arena;
    struct qd_evaluated evaluated;
    struct qd_error error;
    if (kase->step_count == 0)
        return QD_VISIT_GO_ON;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    if (qd_case_evaluate(kase, &arena, &evaluated, &error) != QD_OK)
        fail_msg("%s: %s", kase->id, error.text);
    census->cases++;
    for (int fault = 0; fault < FAULTS; fault++) {
        census->faulty->fault = (enum fault)fault;
        census->told[fault] += tells(census, &evaluated, &arena);
    }
    qd_arena_clear(&arena);
    return QD_VISIT_GO_ON;
}

static void every_fault_is_told(void **state)
{
    (void)state;
    static struct faulty faulty;
    struct qd_suite_options options = {.level = QD_LEVEL_SMOKE};
    struct qd_target_message message;
    struct qd_error error;
    faulty.api = qd_builtin_target_find("reference")->api;
    assert_int_equal(faulty.api->open("", "", &faulty.inner, &message), QD_TARGET_OK);
    struct census census = {.faulty = &faulty, .block = aligned_alloc(64, BLOCK_BYTES)};
    assert_non_null(census.block);
    assert_int_equal(qd_suite_visit(&options, visit, &census, &error), QD_OK);
    for (int fault = 0; fault < FAULTS; fault++)
        printf("note: %s: told by %zu of %zu cases\n", names[fault], census.told[fault],
               census.cases);
    assert_int_equal(census.told[NONE], 0);
    for (int fault = 1; fault < FAULTS; fault++)
        assert_true(census.told[fault] >= 3);
    faulty.api->close(faulty.inner);
    free(census.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_fault_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
