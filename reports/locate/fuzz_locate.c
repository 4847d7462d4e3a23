/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever a model's bytes, `qdiff locate` on the reference refuses them with a status and a text, or walks
 * over all their units within its budget, and finds none wrong. Everything but the command line and the file runs as in
 * the command: the network is opened and cut, its inputs are drawn, each unit is evaluated, run on the target, judged
 * and printed; of one input in 64 units also run together. Work and memory of a unit
 * are limited, so that an input takes milliseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "locate/locate_report.h"
#include "locate/region.h"

#define BUDGET ((size_t)64 << 20)
#define WORK 0x1p22

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever the bytes, a network is located and nothing is wrong, or it is refused",
    .hostile = true,
};

static struct {
    struct qd_arena arena; /* of the command */
    struct qd_options options;
    struct qd_gate_targets targets;
    struct qd_interrupt interrupt;
    FILE *out;
    uint64_t executions, refused[QD_STATUS_COUNT], no_inputs, located, together;
    uint64_t units[QD_UNIT_STATE_COUNT];
} state;

static void print_totals(void)
{
    fprintf(stderr, "# fuzz_locate: %llu executions", (unsigned long long)state.executions);
    for (int i = 0; i < QD_STATUS_COUNT; i++)
        if (state.refused[i] > 0)
            fprintf(stderr, ", %llu %s", (unsigned long long)state.refused[i],
                    qd_status_word((enum qd_status)i));
    fprintf(stderr,
            ", %llu opened without inputs, %llu located, %llu of them also together; units:",
            (unsigned long long)state.no_inputs, (unsigned long long)state.located,
            (unsigned long long)state.together);
    for (int i = 0; i < QD_UNIT_STATE_COUNT; i++)
        fprintf(stderr, " %llu %s", (unsigned long long)state.units[i],
                qd_unit_state_word((enum qd_unit_state)i));
    fputc('\n', stderr);
}

/* The command line, its target, and where its table goes. */
static void begin(void)
{
    char *words[] = {(char[]){"--target"}, (char[]){"reference"}, (char[]){"--in-process"},
                     (char[]){"--seed"},   (char[]){"1"},         (char[]){"--no-diagnosis"}};
    struct qd_error error = {.status = QD_OK};
    struct qd_target_plan plan;

    qd_arena_init(&state.arena, BUDGET);
    enum qd_status status = qd_options_parse("target in-process seed no-diagnosis", 6, words,
                                             &state.arena, &state.options, &error);
    if (status == QD_OK)
        status = qd_plan_targets(&state.options, &state.arena, &plan, &error);
    struct qd_session_options session = qd_session_options_of(&state.options);
    if (status == QD_OK)
        status = qd_gate_targets_open(&plan, &session, &state.arena, &state.targets, &error);
    if (status == QD_OK)
        status = qd_interrupt_begin(&state.interrupt, &error);
    state.out = fopen("/dev/null", "we");
    qd_engine_require(status == QD_OK && state.out, "cannot begin", &error);
    atexit(print_totals);
}

static void walk(struct qd_locate *locate, struct qd_error *error)
{
    struct qd_locate_report report;
    size_t done = 0;

    enum qd_status status = qd_locate_report_begin(&report, locate, state.out, state.out, error);
    locate->listener = qd_locate_report_listener(&report);
    if (status == QD_OK)
        status = qd_locate_run(locate, &done, error);
    if (status == QD_OK && locate->options->end_to_end)
        status = qd_regions_find(locate, &report, error);
    qd_engine_require(status == QD_OK && done == locate->unit_count, "the walk ended", error);
    qd_engine_require(report.wrong + report.advisory == 0, "the reference differs from itself",
                      error);
    for (int i = 0; i < QD_UNIT_STATE_COUNT; i++)
        state.units[i] += report.states[i];
    qd_locate_report_end(&report, done, error);
    state.located++;
    state.together += locate->options->end_to_end;
}

static bool locate_in(const struct qd_network *network, struct qd_arena *arena)
{
    struct qd_error error = {.status = QD_STATUS_COUNT};
    struct qd_locate locate = {.network = network,
                               .options = &state.options,
                               .targets = &state.targets,
                               .values_failed = true, /* it would be the reference again */
                               .interrupt = &state.interrupt,
                               .arena = arena,
                               .work = WORK,
                               .budget = BUDGET};

    enum qd_status status = qd_locate_begin(&locate, state.out, &error);
    if (status == QD_OK)
        walk(&locate, &error);
    else
        qd_engine_require_told(status, &error);
    qd_locate_end(&locate);
    state.no_inputs += status != QD_OK;
    return status == QD_OK;
}

/* One input in 64, whichever came before. */
static bool is_chosen(const uint8_t *data, size_t size)
{
    size_t sum = size;

    for (size_t i = 0; i < size; i += 61)
        sum = sum * 31 + data[i];
    return (sum ^ sum >> 17) % 64 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_arena arena;
    struct qd_network network;
    struct qd_error error = {.status = QD_STATUS_COUNT};
    bool located = false;

    if (!state.out)
        begin();
    state.executions++;
    state.options.end_to_end = is_chosen(data, size);
    qd_arena_init(&arena, BUDGET);
    enum qd_status status =
        qd_network_read("/nowhere/m.onnx", data, size, &arena, &network, &error);
    if (status == QD_OK) {
        located = locate_in(&network, &arena);
        qd_network_close(&network);
    } else {
        qd_engine_require_told(status, &error);
        state.refused[status]++;
    }
    qd_engine_require(arena.used <= BUDGET, "the budget is exceeded", &error);
    qd_arena_clear(&arena);
    return located ? 0 : -1;
}
