/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff bench`: cases per second and where the time goes. */
#include "bench/bench.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/quantizer_bench.h"
#include "command/command.h"
#include "qdiff_version.h"
#include "result/machine.h"
#include "text/json_write.h"

enum { MOST_ROUNDS = 1000 };

#define WORKER_SECONDS 1.0

/* What was measured of one target in one mode. */
struct measured {
    char id[256];
    bool in_process;
    struct qd_lap lap;          /* the sum of all rounds */
    double least, median, most; /* cases a second */
    bool is_worker;
    double cold; /* cases a second of the round that warms up: every model is new to the worker */
    struct qd_worker_bench speed; /* of a worker */
};

static double share(double part, const struct qd_lap *lap)
{
    return 100 * part / lap->wall;
}

static double outside(const struct qd_lap *lap)
{
    return lap->wall - lap->target;
}

static void add(struct qd_lap *sum, const struct qd_lap *lap)
{
    sum->cases += lap->cases;
    sum->killers = lap->killers;
    sum->wall += lap->wall;
    sum->decode += lap->decode;
    sum->reference += lap->reference;
    sum->target += lap->target;
    sum->transfer += lap->transfer;
    sum->compare += lap->compare;
    sum->answered = !sum->answered ? lap->answered : sum->answered;
}

static enum qd_status measure_session(struct qd_mix *mix, struct qd_session *session, size_t rounds,
                                      struct measured *measured, struct qd_error *error)
{
    struct qd_lap lap;
    enum qd_status status = qd_lap_run(mix, session, &lap, error); /* warms up */

    snprintf(measured->id, sizeof measured->id, "%s", qd_session_id(session));
    measured->cold = status == QD_OK ? (double)lap.cases / lap.wall : 0;
    double rates[MOST_ROUNDS];
    for (size_t i = 0; i < rounds && status == QD_OK; i++) {
        status = qd_lap_run(mix, session, &lap, error);
        if (status == QD_OK) {
            rates[i] = (double)lap.cases / lap.wall;
            add(&measured->lap, &lap);
        }
    }
    if (status == QD_OK) {
        measured->median = qd_median(rates, rounds);
        measured->least = rates[0];
        measured->most = rates[rounds - 1];
    }
    return status;
}

static enum qd_status measure(struct qd_mix *mix, const struct qd_planned_target *target,
                              bool in_process, const struct qd_options *options,
                              struct measured *measured, struct qd_error *error)
{
    struct qd_session_options session_options = qd_session_options_of(options);

    session_options.in_process = in_process;
    measured->in_process = in_process;
    struct qd_session *session;
    enum qd_status status = qd_session_open(&target->name, &session_options, &session, error);
    if (status == QD_OK) {
        status = measure_session(mix, session, options->rounds, measured, error);
        qd_session_close(session);
    }
    measured->is_worker = qd_worker_bench_applies(&target->name);
    if (status == QD_OK && measured->is_worker && measured->lap.answered) {
        status = qd_lap_worker(measured->lap.answered, &target->name, &session_options,
                               WORKER_SECONDS, &measured->speed, error);
    }
    return status;
}

/* A plain name stands for its first and its last configuration: for ORT levels none and all. */
static struct qd_target_plan ends_of(const struct qd_options *options, struct qd_target_plan plan,
                                     struct qd_arena *arena)
{
    if (options->targets.count != 1 || plan.count <= 2)
        return plan;
    struct qd_planned_target *ends = qd_arena_array(arena, 2, sizeof *ends);
    if (!ends)
        return plan;
    ends[0] = plan.items[0];
    ends[1] = plan.items[plan.count - 1];
    return (struct qd_target_plan){2, ends};
}

/* KiB of the greatest memory that this process, or a process it waited for, had. */
static long peak(int who)
{
    struct rusage usage;

    return getrusage(who, &usage) == 0 ? usage.ru_maxrss : 0;
}

struct bench {
    const struct qd_options *options;
    struct qd_mix mix;
    size_t count;
    struct measured *measured;
    double reference[3]; /* MAC/s: least, median, most */
};

/* Cases that no figure is about. */
static void print_killers(FILE *out, const struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        const struct measured *one = &bench->measured[i];

        if (one->lap.killers > 0 && !one->in_process) {
            fprintf(out, "%s: left out are %zu cases that kill it (qdiff run shows which)\n",
                    one->id, one->lap.killers);
        }
    }
}

static void print_workers(FILE *out, const struct bench *bench)
{
    bool headed = false;

    for (size_t i = 0; i < bench->count; i++) {
        const struct measured *one = &bench->measured[i];

        if (!one->is_worker)
            continue;
        if (!headed) {
            fprintf(out, "\n%-43s %12s %15s %12s %14s\n", "worker", "cold cases/s",
                    "one prepare, ms", "warm runs/s", "round trips/s");
            headed = true;
        }
        fprintf(out, "%-43s %12.1f %15.2f %12.0f %14.0f\n", one->id, one->cold,
                1000 * one->speed.prepare_seconds, one->speed.runs_per_second,
                one->speed.round_trips_per_second);
    }
}

static void print_text(FILE *out, const struct bench *bench, struct qd_arena *arena)
{
    fprintf(out,
            "qdiff %s (%s), %s\nmix: %zu cases of level %s, median %" PRId64
            " output elements; %" PRIu64 " rounds after one to warm up\n\n"
            "%-32s %-10s %27s   share of wall time outside the target, %%\n"
            "%-32s %-10s %8s %9s %8s %8s %9s %8s %7s %7s\n",
            QD_VERSION, QD_COMMIT, qd_machine_read(arena).cpu, bench->mix.count,
            qd_level_word(bench->options->level), bench->mix.median_elements,
            bench->options->rounds, "", "", "cases/s", "target", "mode", "least", "median", "most",
            "decode", "reference", "transfer", "compare", "all");
    for (size_t i = 0; i < bench->count; i++) {
        const struct measured *one = &bench->measured[i];
        const struct qd_lap *lap = &one->lap;

        fprintf(out, "%-32s %-10s %8.0f %9.0f %8.0f %8.1f %9.1f %8.1f %7.1f %7.1f\n", one->id,
                one->in_process ? "in process" : "forked", one->least, one->median, one->most,
                share(lap->decode, lap), share(lap->reference, lap), share(lap->transfer, lap),
                share(lap->compare, lap), share(outside(lap), lap));
    }
    print_killers(out, bench);
    print_workers(out, bench);
    fprintf(out,
            "\nreference, QLinearConv 64 to 64 channels, 3x3, 56x56, u8 x s8: %.3g MAC/s "
            "(%.3g to %.3g)\npeak memory: %ld MiB, of a worker %ld MiB\n",
            bench->reference[1], bench->reference[0], bench->reference[2], peak(RUSAGE_SELF) / 1024,
            peak(RUSAGE_CHILDREN) / 1024);
}

static void write_measured(struct qd_json *json, const struct measured *one)
{
    const struct qd_lap *lap = &one->lap;

    qd_json_open(json, NULL, '{');
    qd_json_string(json, "target", one->id);
    qd_json_string(json, "mode", one->in_process ? "in-process" : "forked");
    qd_json_double(json, "cases_per_second_min", one->least);
    qd_json_double(json, "cases_per_second_median", one->median);
    qd_json_double(json, "cases_per_second_max", one->most);
    qd_json_int(json, "cases", (int64_t)lap->cases);
    qd_json_int(json, "cases_that_kill", (int64_t)lap->killers);
    qd_json_double(json, "seconds", lap->wall);
    qd_json_double(json, "seconds_decode", lap->decode);
    qd_json_double(json, "seconds_reference", lap->reference);
    qd_json_double(json, "seconds_target", lap->target);
    qd_json_double(json, "seconds_transfer", lap->transfer);
    qd_json_double(json, "seconds_compare", lap->compare);
    qd_json_double(json, "percent_outside_target", share(outside(lap), lap));
    if (one->is_worker) {
        qd_json_double(json, "cold_cases_per_second", one->cold);
        qd_json_double(json, "prepare_seconds", one->speed.prepare_seconds);
        qd_json_double(json, "warm_runs_per_second", one->speed.runs_per_second);
        qd_json_double(json, "round_trips_per_second", one->speed.round_trips_per_second);
    }
    qd_json_close(json, '}');
}

static void write_json(FILE *out, const struct bench *bench, struct qd_arena *arena)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "suite", QD_VERSION);
    qd_json_string(&json, "commit", QD_COMMIT);
    qd_json_string(&json, "cpu", qd_machine_read(arena).cpu);
    qd_json_string(&json, "level", qd_level_word(bench->options->level));
    qd_json_int(&json, "mix_cases", (int64_t)bench->mix.count);
    qd_json_int(&json, "mix_median_elements", bench->mix.median_elements);
    qd_json_int(&json, "rounds", (int64_t)bench->options->rounds);
    qd_json_open(&json, "measured", '[');
    for (size_t i = 0; i < bench->count; i++)
        write_measured(&json, &bench->measured[i]);
    qd_json_close(&json, ']');
    qd_json_double(&json, "reference_mac_per_second_min", bench->reference[0]);
    qd_json_double(&json, "reference_mac_per_second_median", bench->reference[1]);
    qd_json_double(&json, "reference_mac_per_second_max", bench->reference[2]);
    qd_json_int(&json, "peak_kib", peak(RUSAGE_SELF));
    qd_json_int(&json, "peak_kib_worker", peak(RUSAGE_CHILDREN));
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static enum qd_status measure_all(struct bench *bench, const struct qd_target_plan *plan,
                                  struct qd_arena *arena, struct qd_error *error)
{
    double rates[MOST_ROUNDS];
    enum qd_status status = qd_reference_rates(bench->options->rounds, rates, error);

    if (status != QD_OK)
        return status;
    bench->reference[1] = qd_median(rates, bench->options->rounds);
    bench->reference[0] = rates[0];
    bench->reference[2] = rates[bench->options->rounds - 1];
    bench->measured = qd_arena_array(arena, plan->count * 2, sizeof *bench->measured);
    if (!bench->measured)
        return qd_fail(error, QD_NO_MEMORY, "no memory for measurements");
    for (size_t i = 0; i < plan->count * 2 && status == QD_OK; i++) {
        bool in_process = i % 2 == 1; /* after the worker has shown which cases kill the target */

        if (!in_process)
            qd_mix_forgive(&bench->mix);
        if (in_process && qd_worker_bench_applies(&plan->items[i / 2].name))
            continue; /* a worker is another process either way */
        status = measure(&bench->mix, &plan->items[i / 2], in_process, bench->options,
                         &bench->measured[bench->count], error);
        bench->count += status == QD_OK;
    }
    return status;
}

/* --- Quantizers ---------------------------------------------------------------------------------- */

static void print_quantizer(FILE *out, const char *id, const struct qd_quantizer_bench *bench)
{
    fprintf(out, "%-32s %-12s %8s %8s %9s %8s %9s\n", "", "", "", "", "requests/s", "", "");
    fprintf(out, "%-32s %-12s %8s %8s %9s %8s %9s\n", "target", "way", "requests", "least",
            "median", "most", "checks/s");
    for (int way = 0; way < QD_WAY_COUNT; way++) {
        const struct qd_way_lap *lap = &bench->ways[way];

        fprintf(out, "%-32s %-12s %8zu %8.0f %9.0f %8.0f %9.0f\n", id,
                qd_way_word((enum qd_way)way), lap->requests, lap->least, lap->median, lap->most,
                lap->check_rate);
    }
    fprintf(out,
            "fidelity: %zu of %zu answers judged on a quantized output, median width %.3g steps of "
            "it\n",
            bench->judged, bench->answers, bench->median_width);
}

static void write_quantizer(FILE *out, const char *id, const struct qd_quantizer_bench *bench)
{
    struct qd_json json;

    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "suite", QD_VERSION);
    qd_json_string(&json, "target", id);
    for (int way = 0; way < QD_WAY_COUNT; way++) {
        const struct qd_way_lap *lap = &bench->ways[way];

        qd_json_open(&json, qd_way_word((enum qd_way)way), '{');
        qd_json_int(&json, "requests", (int64_t)lap->requests);
        qd_json_double(&json, "requests_per_second_min", lap->least);
        qd_json_double(&json, "requests_per_second_median", lap->median);
        qd_json_double(&json, "requests_per_second_max", lap->most);
        qd_json_double(&json, "checks_per_second", lap->check_rate);
        qd_json_close(&json, '}');
    }
    qd_json_int(&json, "answers", (int64_t)bench->answers);
    qd_json_int(&json, "fidelity_judged", (int64_t)bench->judged);
    qd_json_double(&json, "fidelity_median_width", bench->median_width);
    qd_json_close(&json, '}');
    fputc('\n', out);
}

/* Measures the plan's targets if they are quantizers; *done tells. */
static enum qd_status measure_quantizers(const struct qd_command *command,
                                         const struct qd_selection *selection,
                                         const struct qd_target_plan *plan, bool *done,
                                         struct qd_error *error)
{
    const struct qd_options *options = &command->options;
    struct qd_session_options session_options = qd_session_options_of(options);
    struct qd_gate_targets targets;
    enum qd_status status =
        qd_gate_targets_open_any(plan, &session_options, command->arena, &targets, error);

    if (status != QD_OK)
        return status;
    *done = targets.count > 0 && targets.items[0].quantizer;
    for (size_t i = 0; *done && i < targets.count && status == QD_OK; i++) {
        struct qd_quantizer_bench bench;

        status = qd_quantizer_measure(&targets.items[i], selection, options->rounds, &bench, error);
        if (status == QD_OK && options->json)
            write_quantizer(command->out, targets.items[i].id, &bench);
        else if (status == QD_OK)
            print_quantizer(command->out, targets.items[i].id, &bench);
    }
    qd_gate_targets_close(&targets);
    return status;
}

static enum qd_exit run(struct qd_command *command)
{
    bool done = false;
    struct qd_options *options = &command->options;
    struct bench bench = {.options = options};
    struct qd_error error = {0};

    options->rounds = options->rounds == 0 ? 5 : options->rounds;
    options->level = options->level_given ? options->level : QD_LEVEL_SMOKE;
    if (options->rounds > MOST_ROUNDS) {
        fprintf(command->err, "qdiff bench: --rounds of at most %d\n", MOST_ROUNDS);
        return QD_EXIT_USAGE;
    }
    struct qd_selection selection;
    struct qd_target_plan plan;
    if (qd_selection_init(options, command->arena, &selection, &error) != QD_OK ||
        qd_plan_targets(options, command->arena, &plan, &error) != QD_OK ||
        measure_quantizers(command, &selection, &plan, &done, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (done)
        return QD_EXIT_OK;
    if (qd_mix_collect(&bench.mix, &selection, &error) != QD_OK)
        return qd_command_failed(command, &error);
    plan = ends_of(options, plan, command->arena);
    if (measure_all(&bench, &plan, command->arena, &error) == QD_OK) {
        if (options->json)
            write_json(command->out, &bench, command->arena);
        else
            print_text(command->out, &bench, command->arena);
    }
    qd_mix_clear(&bench.mix);
    return error.status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

const struct qd_verb qd_verb_bench = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options =
        "target rounds level filter op feature tag shard cases pack json time-limit memory-limit",
    .text =
        "Measures cases per second on a target in this process and in a forked worker, and the\n"
        "share of the time that is spent outside the target: decoding, reference, transfer,\n"
        "comparison. A plain name stands for its first and last configuration (for ort the\n"
        "optimization levels none and all). The mix is that of the smoke level unless --level\n"
        "says otherwise; one round warms up and finds the cases that kill the target, which are "
        "left\n"
        "out, then --rounds are measured. Of a worker it prints\n"
        "the first round too (cold: every model is new to it), runs a second of one prepared\n"
        "model, and round trips a second of a small message. Of a quantizer it measures requests\n"
        "and checks per second over the cases of its suite that it answers.",
    .examples = "    qdiff bench --target ort\n"
                "    qdiff bench --target ort@1.31.1[opt=all] --level full --rounds 3 --json",
    .run = run,
};
