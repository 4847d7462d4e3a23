/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff self-test`: tests the suite and the harness with every quirk. */
#include <errno.h>
#include <string.h>

#include "command/command.h"
#include "self_test/contract_run.h"
#include "self_test/kill_matrix.h"
#include "text/json_write.h"

enum { MOST_FAMILIES = 128 };

/* What is being printed. */
struct report {
    struct qd_command *command;
    const struct qd_kill_matrix *matrix;
    size_t tests, failed;
    size_t ran; /* cases */
    struct qd_interrupt *interrupt;
    size_t family_count;
    struct {
        const char *name;
        size_t length;
    } families[MOST_FAMILIES];
};

/* --- TAP ----------------------------------------------------------------------------------------- */

static void result(struct report *report, bool ok, const char *text)
{
    report->tests++;
    report->failed += !ok;
    fprintf(report->command->out, "%s %zu - %s\n", ok ? "ok" : "not ok", report->tests, text);
}

/* A point that an interrupt left open. */
static void undecided(struct report *report, const char *text)
{
    report->tests++;
    fprintf(report->command->out, "ok %zu - %s # SKIP interrupted\n", report->tests, text);
}

/* What more cases could turn green is open when they did not run. */
static void result_of_all(struct report *report, bool ok, const char *text)
{
    if (!ok && qd_interrupt_seen(report->interrupt))
        undecided(report, text);
    else
        result(report, ok, text);
}

static void tell_harness(struct report *report)
{
    struct qd_self_test_counts v;
    char text[160];

    qd_matrix_judge(report->matrix, &v);
    snprintf(text, sizeof text, "every case ran: %zu of %zu lost, %zu compared", v.lost,
             report->matrix->case_count, v.compared);
    result_of_all(report, v.lost == 0 && v.compared > 0, text);
    snprintf(text, sizeof text, "no false alarm: %zu cases where the reference fails itself",
             v.false_alarms);
    result(report, v.false_alarms == 0, text);
    snprintf(text, sizeof text, "no blind spot: %zu cases where a wrong answer passes", v.blind);
    result(report, v.blind == 0, text);
}

static void tell_quirks(struct report *report)
{
    const struct qd_kill_matrix *m = report->matrix;

    for (size_t q = 0; q < m->quirk_count; q++) {
        const struct qd_quirk *quirk = qd_quirk_at(q);
        const char *first;
        char text[512], ties[64] = "";
        size_t kills = qd_matrix_kills(m, q, &first), tied = qd_matrix_tie_kills(m, q);
        bool ok = kills >= QD_LEAST_KILLS;

        if (qd_quirk_needs_ties(quirk)) {
            snprintf(ties, sizeof ties, " (%zu tie cases)", tied);
            ok = ok && tied >= QD_LEAST_KILLS;
        }
        snprintf(text, sizeof text, "quirk %s: noticed by %zu cases%s in %.3f s, first %s",
                 quirk->name, kills, ties, m->seconds[q], first ? first : "(none)");
        result_of_all(report, ok, text);
    }
}

static enum qd_status tell_broken_parts(struct report *report, const struct qd_matrix_plan *plan,
                                        struct qd_error *error)
{
    for (size_t i = 0; qd_broken_part_at(i); i++) {
        const struct qd_broken_part *part = qd_broken_part_at(i);
        bool noticed = false;
        char text[256];
        enum qd_status status = QD_OK;

        if (!qd_interrupt_seen(report->interrupt)) {
            status = qd_broken_part_is_noticed(part, plan, report->matrix, report->command->arena,
                                               &noticed, error);
        }
        if (status != QD_OK)
            return status;
        snprintf(text, sizeof text, "broken part %s is noticed: %s", part->name, part->meaning);
        result_of_all(report, noticed, text);
    }
    return QD_OK;
}

/* --- The report ---------------------------------------------------------------------------------- */

/* The families that the cases are of: the first part of their ids. */
static void find_families(struct report *report)
{
    for (size_t i = 0; i < report->matrix->case_count; i++) {
        const char *id = report->matrix->ids[i];
        size_t length = strcspn(id, "/"), f = 0;

        while (f < report->family_count && (report->families[f].length != length ||
                                            memcmp(report->families[f].name, id, length) != 0))
            f++;
        if (f == report->family_count && f < MOST_FAMILIES) {
            report->families[f].name = id;
            report->families[f].length = length;
            report->family_count++;
        }
    }
}

static size_t kills_in(const struct report *report, size_t quirk, size_t family)
{
    const struct qd_kill_matrix *m = report->matrix;
    size_t length = report->families[family].length, count = 0;

    for (size_t i = 0; i < m->case_count; i++) {
        bool of_family = strcspn(m->ids[i], "/") == length &&
                         memcmp(m->ids[i], report->families[family].name, length) == 0;
        count += of_family && qd_kills_has(&m->kills[i], quirk);
    }
    return count;
}

static void write_markdown(FILE *out, const struct report *report)
{
    const struct qd_kill_matrix *m = report->matrix;

    fprintf(out,
            "# Kill matrix\n\n%zu of %zu cases ran, %zu quirks, %.1f s. A number is how many cases "
            "of the family notice the quirk.\n\n| quirk | all | seconds |",
            report->ran, m->case_count, m->quirk_count, m->wall);
    for (size_t f = 0; f < report->family_count; f++)
        fprintf(out, " %.*s |", (int)report->families[f].length, report->families[f].name);
    fprintf(out, " first |\n|---|---|---|");
    for (size_t f = 0; f < report->family_count; f++)
        fprintf(out, "---|");
    fprintf(out, "---|\n");
    const char *first;
    for (size_t q = 0; q < m->quirk_count; q++) {
        size_t kills = qd_matrix_kills(m, q, &first);

        fprintf(out, "| %s | %zu | %.3f |", qd_quirk_at(q)->name, kills, m->seconds[q]);
        for (size_t f = 0; f < report->family_count; f++) {
            size_t in = kills_in(report, q, f);
            fprintf(out, in > 0 ? " %zu |" : " |", in);
        }
        fprintf(out, " %s |\n", first ? first : "");
    }
}

static void write_json(FILE *out, const struct report *report)
{
    const struct qd_kill_matrix *m = report->matrix;
    const char *first;

    for (size_t q = 0; q < m->quirk_count; q++) {
        size_t kills = qd_matrix_kills(m, q, &first);
        struct qd_json json;

        qd_json_begin(&json, out);
        qd_json_open(&json, NULL, '{');
        qd_json_string(&json, "quirk", qd_quirk_at(q)->name);
        qd_json_int(&json, "kills", (int64_t)kills);
        qd_json_int(&json, "cases", (int64_t)report->ran);
        qd_json_double(&json, "seconds", m->seconds[q]);
        qd_json_string_if(&json, "first", first ? first : "");
        qd_json_open(&json, "families", '{');
        for (size_t f = 0; f < report->family_count; f++) {
            size_t in = kills_in(report, q, f);
            char name[128];

            snprintf(name, sizeof name, "%.*s", (int)report->families[f].length,
                     report->families[f].name);
            if (in > 0)
                qd_json_int(&json, name, (int64_t)in);
        }
        qd_json_close(&json, '}');
        qd_json_close(&json, '}');
        fputc('\n', out);
    }
}

static enum qd_status write_report(const struct report *report, const char *path,
                                   struct qd_error *error)
{
    FILE *out = fopen(path, "w");

    if (!out)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    if (report->command->options.json)
        write_json(out, report);
    else
        write_markdown(out, report);
    if (fclose(out) != 0)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    return QD_OK;
}

/* Quirks that the case notices; *alone those that no other one does. */
static size_t noticed_by(const struct qd_kill_matrix *m, size_t i, size_t *alone)
{
    size_t count = 0;

    *alone = 0;
    const char *first;
    for (size_t q = 0; q < m->quirk_count; q++) {
        if (qd_kills_has(&m->kills[i], q)) {
            count++;
            *alone += qd_matrix_kills(m, q, &first) == 1;
        }
    }
    return count;
}

static void rank(const struct report *report)
{
    const struct qd_kill_matrix *m = report->matrix;

    for (size_t i = 0; i < m->case_count; i++) {
        size_t alone, count = noticed_by(m, i, &alone);

        if (alone > 0)
            fprintf(report->command->out, "# alone %zu of %zu: %s\n", alone, count, m->ids[i]);
        else if (count == 0)
            fprintf(report->command->out, "# none: %s\n", m->ids[i]);
    }
}

static size_t count_done(const struct qd_kill_matrix *matrix)
{
    size_t done = 0;

    for (size_t i = 0; i < matrix->case_count; i++)
        done += matrix->kills[i].done;
    return done;
}

static enum qd_status test(struct report *report, const struct qd_matrix_plan *plan,
                           struct qd_error *error)
{
    const struct qd_options *options = &report->command->options;
    enum qd_status status = QD_OK;

    report->ran = count_done(report->matrix);
    fprintf(report->command->out, "TAP version 13\n");
    find_families(report);
    tell_harness(report);
    tell_quirks(report);
    status = tell_broken_parts(report, plan, error);
    if (options->rank)
        rank(report);
    if (status == QD_OK && options->output)
        status = write_report(report, options->output, error);
    fprintf(report->command->out, "# %zu of %zu cases ran, %zu quirks, %.1f s\n1..%zu\n",
            report->ran, report->matrix->case_count, report->matrix->quirk_count,
            report->matrix->wall, report->tests);
    return status;
}

/* Everything between the beginning and the end of watching for Ctrl-C. */
static enum qd_exit run_watched(struct qd_command *command, const struct qd_matrix_plan *plan)
{
    struct qd_kill_matrix matrix;
    struct report report = {.command = command, .matrix = &matrix, .interrupt = plan->interrupt};
    struct qd_error error = {0};

    if (qd_matrix_make(plan, command->arena, &matrix, &error) != QD_OK ||
        test(&report, plan, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (qd_interrupt_seen(plan->interrupt)) {
        fprintf(command->err, "qdiff: interrupted; this is the result of %zu cases\n", report.ran);
        return QD_EXIT_INTERRUPTED;
    }
    return report.failed > 0 ? QD_EXIT_OWN_FAILURE : QD_EXIT_OK;
}

static enum qd_exit run_quirks(struct qd_command *command, const struct qd_selection *selection,
                               struct qd_interrupt *interrupt)
{
    const struct qd_matrix_plan plan = {.selection = selection,
                                        .harness = &qd_harness,
                                        .mutants = true,
                                        .stride = 1,
                                        .jobs = command->options.jobs,
                                        .interrupt = interrupt};
    return run_watched(command, &plan);
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_options *options = &command->options;
    struct qd_selection selection;
    struct qd_interrupt interrupt;
    struct qd_error error = {0};

    if (!options->level_given)
        options->level = QD_LEVEL_SMOKE;
    if (qd_selection_init(options, command->arena, &selection, &error) != QD_OK ||
        qd_interrupt_begin(&interrupt, &error) != QD_OK)
        return qd_command_failed(command, &error);
    enum qd_exit code = options->contract ? qd_contract_self_test(command, &selection, &interrupt)
                                          : run_quirks(command, &selection, &interrupt);
    qd_interrupt_end(&interrupt);
    return code;
}

const struct qd_verb qd_verb_selftest = {
    .arguments = "[FILE|DIR]...",
    .at_most = SIZE_MAX,
    .options = "filter op feature tag level shard cases jobs output json rank contract write",
    .text = "Runs every quirk on every case that it concerns, at the smoke level unless\n"
            "--level is given, and prints in TAP how many cases notice each. A quirk that\n"
            "fewer than three cases notice is a hole in the suite. Then it replaces parts of\n"
            "the harness by broken ones, each of which has to be noticed. --output writes the\n"
            "matrix of quirks and families of cases, as Markdown or, with --json, as JSON\n"
            "Lines.\n"
            "--contract runs contract mutants instead: every rule of misreading a contract (an\n"
            "operand, an axis, an attribute, a tile's remainder for another) at every place of\n"
            "every operator. It prints how many of each operator's some case kills, and what\n"
            "survives, with what no case has; --output writes one line for each mutant.\n"
            "With --write it chooses the derived cases of the smoke level instead, a small\n"
            "set that kills what the rest of that level lets live, and writes the table of\n"
            "rows with them marked.\n"
            "Ctrl-C ends it after the current cases and prints the results so far.",
    .examples = "  the suite's own strength\n"
                "    qdiff self-test --jobs 2 --output kills.md\n"
                "  which cases notice nothing\n"
                "    qdiff self-test --jobs 2 --rank\n"
                "  which ways of misreading MatMulInteger's contract no case notices\n"
                "    qdiff self-test --contract --op MatMulInteger --level full",
    .run = run,
};
