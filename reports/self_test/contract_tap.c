/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what became of the contract mutants: per operator, per rule, and each survivor with what the suite lacks. */
#include <errno.h>
#include <string.h>

#include "self_test/contract_run.h"
#include "text/json_write.h"

struct report {
    struct qd_command *command;
    const struct qd_contract_result *result;
    size_t tests, failed;
};

struct counts {
    size_t killed, shape, survive, advisory, unknown, equal, contradicted;
};

static void count(const struct qd_contract_result *result, size_t mutant, struct counts *counts)
{
    switch (qd_contract_fate(result, mutant)) {
    case QD_CONTRACT_KILLED: counts->killed++; break;
    case QD_CONTRACT_EQUAL: counts->equal++; break;
    case QD_CONTRACT_SHAPE: counts->shape++; break;
    case QD_CONTRACT_SURVIVES: counts->survive++; break;
    case QD_CONTRACT_ADVISORY: counts->advisory++; break;
    case QD_CONTRACT_UNKNOWN: counts->unknown++; break;
    case QD_CONTRACT_CONTRADICTED: counts->contradicted++; break;
    }
}

/* Those that some node is known to tell from the specification. */
static size_t total(const struct counts *c)
{
    return c->killed + c->shape + c->survive;
}

static double share(const struct counts *c)
{
    return total(c) == 0 ? 0 : 100.0 * (double)(c->killed + c->shape) / (double)total(c);
}

static void test(struct report *report, bool ok, const char *text)
{
    report->tests++;
    report->failed += !ok;
    fprintf(report->command->out, "%s %zu - %s\n", ok ? "ok" : "not ok", report->tests, text);
}

/* --- Survivors ----------------------------------------------------------------------------------- */

/* A rule's text, the mutant's number put in for %lld. */
static void print_text(FILE *out, const char *text, const struct qd_contract_mutant *mutant)
{
    for (const char *number = strstr(text, "%lld"); number; number = strstr(text, "%lld")) {
        fprintf(out, "%.*s%lld", (int)(number - text), text, (long long)mutant->n);
        text = number + strlen("%lld");
    }
    fputs(text, out);
}

static void print_why(FILE *out, const struct qd_contract_result *result, size_t i)
{
    const struct qd_contract_tally *tally = &result->tallies[i];
    const struct qd_contract_mutant *mutant = &result->contract.mutants[i];
    char text[160];
    if (tally->applied == 0)
        fputs("no case has ", out);
    else
        fprintf(out, "none tells of %u cases with ", tally->applied);
    print_text(out, mutant->rule->needs, mutant);
    if (tally->refused > 0)
        fprintf(out, " (in %u of them the changed node is not valid)", tally->refused);
    fprintf(out, "; would: %s",
            qd_variation_describe(mutant->op, &tally->variation, text, sizeof text));
}

static void print_survivors(const struct report *report, size_t first, size_t end)
{
    FILE *out = report->command->out;
    for (size_t i = first; i < end; i++) {
        enum qd_contract_fate fate = qd_contract_fate(report->result, i);
        if (fate == QD_CONTRACT_SURVIVES) {
            fprintf(out, "# survives %s: ", report->result->contract.mutants[i].name);
            print_why(out, report->result, i);
            fputc('\n', out);
        } else if (fate == QD_CONTRACT_CONTRADICTED) {
            fprintf(out, "# killed %s, which is said to equal the specification: %s\n",
                    report->result->contract.mutants[i].name,
                    report->result->contract.mutants[i].equals);
        }
    }
}

/* --- Tables -------------------------------------------------------------------------------------- */

static void print_operator(struct report *report, size_t op)
{
    const struct qd_contract *contract = &report->result->contract;
    struct counts c = {0};
    char text[256];
    if (contract->first[op] == contract->first[op + 1])
        return;
    for (size_t i = contract->first[op]; i < contract->first[op + 1]; i++)
        count(report->result, i, &c);
    print_survivors(report, contract->first[op], contract->first[op + 1]);
    const char *domain = qd_op_at(op)->domain;
    snprintf(text, sizeof text,
             "%s%s%s: %zu of %zu contract mutants are killed (%.1f %%), %zu of them by shape alone",
             domain, *domain ? ":" : "", qd_op_at(op)->name, c.killed + c.shape, total(&c),
             share(&c), c.shape);
    test(report, c.killed > 0, text);
}

static void print_rules(const struct report *report)
{
    const struct qd_contract *contract = &report->result->contract;
    for (size_t r = 0; qd_contract_rule_at(r); r++) {
        struct counts c = {0};
        for (size_t i = 0; i < contract->count; i++)
            if (contract->mutants[i].rule == qd_contract_rule_at(r))
                count(report->result, i, &c);
        if (total(&c) > 0)
            fprintf(report->command->out, "# rule %s: %zu of %zu killed (%.1f %%)\n",
                    qd_contract_rule_at(r)->word, c.killed + c.shape, total(&c), share(&c));
    }
}

static void print_all(struct report *report)
{
    const struct qd_contract_result *result = report->result;
    struct counts c = {0};
    char text[256];
    for (size_t i = 0; i < result->contract.count; i++)
        count(result, i, &c);
    fprintf(report->command->out, "TAP version 13\n");
    snprintf(text, sizeof text, "every case ran: %u of %u lost", result->lost, result->cases);
    test(report, result->lost == 0 && result->cases > 0, text);
    snprintf(text, sizeof text, "no false alarm: %u cases where the reference fails itself",
             result->false_alarms);
    test(report, result->false_alarms == 0, text);
    snprintf(text, sizeof text, "what equals the specification is not killed: %zu of %zu are",
             c.contradicted, c.equal + c.contradicted);
    test(report, c.contradicted == 0, text);
    for (size_t op = 0; op < result->contract.op_count; op++)
        print_operator(report, op);
    print_rules(report);
    fprintf(
        report->command->out,
        "# %zu contract mutants: %zu are known to equal the specification, of %zu more no node is "
        "known that tells, %zu differ in an advisory way alone; %zu of the other %zu are killed "
        "(%.2f %%), %zu of them by shape "
        "alone, %zu survive; %u cases, %.1f s\n1..%zu\n",
        result->contract.count, c.equal + c.contradicted, c.unknown, c.advisory, c.killed + c.shape,
        total(&c), share(&c), c.shape, c.survive, result->cases, result->wall, report->tests);
}

/* --- A line for each mutant ---------------------------------------------------------------------- */

static const char *fate_word(enum qd_contract_fate fate)
{
    switch (fate) {
    case QD_CONTRACT_KILLED: return "killed";
    case QD_CONTRACT_EQUAL: return "equal";
    case QD_CONTRACT_SHAPE: return "shape";
    case QD_CONTRACT_SURVIVES: return "survives";
    case QD_CONTRACT_ADVISORY: return "advisory";
    case QD_CONTRACT_UNKNOWN: return "unknown";
    case QD_CONTRACT_CONTRADICTED: return "contradicted";
    }
    return "";
}

static void write_mutant(FILE *out, const struct qd_contract_result *result, size_t i)
{
    const struct qd_contract_mutant *mutant = &result->contract.mutants[i];
    const struct qd_contract_tally *tally = &result->tallies[i];
    struct qd_json json;
    char would[160];
    qd_json_begin(&json, out);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "mutant", mutant->name);
    qd_json_string(&json, "rule", mutant->rule->word);
    qd_json_string(&json, "fate", fate_word(qd_contract_fate(result, i)));
    qd_json_string(&json, "effect", mutant->rule->effect);
    qd_json_int(&json, "number", mutant->n);
    qd_json_string_if(&json, "equals", mutant->equals);
    qd_json_int(&json, "applied", tally->applied);
    qd_json_int(&json, "refused", tally->refused);
    qd_json_int(&json, "shapes", tally->shapes);
    qd_json_int(&json, "weak", tally->weak);
    if (tally->variation.kind != QD_VARIATION_NONE)
        qd_json_string(&json, "would",
                       qd_variation_describe(mutant->op, &tally->variation, would, sizeof would));
    qd_json_close(&json, '}');
    fputc('\n', out);
}

static enum qd_status write_mutants(const struct qd_contract_result *result, const char *path,
                                    struct qd_error *error)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < result->contract.count; i++)
        write_mutant(out, result, i);
    if (fclose(out) != 0)
        return qd_fail(error, qd_status_of_errno(errno), "%s: %s", path, strerror(errno));
    return QD_OK;
}

/* --- The verb ------------------------------------------------------------------------------------ */

enum qd_exit qd_contract_self_test(struct qd_command *command, const struct qd_selection *selection,
                                   struct qd_interrupt *interrupt)
{
    const struct qd_contract_plan plan = {selection, command->options.jobs, interrupt};
    struct qd_contract_result result;
    struct report report = {.command = command, .result = &result};
    struct qd_error error = {0};
    if (command->options.write)
        return qd_contract_choose(&plan, command->options.write, command->out, command->arena,
                                  &error) == QD_OK
                   ? QD_EXIT_OK
                   : qd_command_failed(command, &error);
    if (qd_contract_run(&plan, command->arena, &result, &error) != QD_OK)
        return qd_command_failed(command, &error);
    print_all(&report);
    if (command->options.output && write_mutants(&result, command->options.output, &error) != QD_OK)
        return qd_command_failed(command, &error);
    if (qd_interrupt_seen(interrupt)) {
        fprintf(command->err, "qdiff: interrupted; this is the result of %u cases\n", result.cases);
        return QD_EXIT_INTERRUPTED;
    }
    return report.failed > 0 ? QD_EXIT_OWN_FAILURE : QD_EXIT_OK;
}
