/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a reduced finding as files for people: text case, report, script. */
#include "bundle/finding_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bundle/bundle.h"
#include "qdiff/case_text.h"
#include "qdiff/memory_stream.h"
#include "result/machine.h"
#include "text/case_show.h"
#include "text/describe.h"

enum { SHOWN_ELEMENTS = 16 };

static const char *or_unknown(const char *text)
{
    return text ? text : "(out of memory)";
}

/* A text of several lines if it is long, cut if it is very long: targets say much. */
static void print_if(FILE *out, const char *what, const char *text)
{
    enum { WIDTH = 88, LINES = 4 };

    for (int line = 0; text && text[0] != '\0' && line < LINES; line++) {
        size_t length = strcspn(text, "\n");
        bool ends = text[length] == '\0' || length == 0;

        if (length > WIDTH) {
            for (length = WIDTH; length > 0 && !strchr(" |", text[length]);)
                length--;
            length = length > 0 ? length : WIDTH;
            ends = false;
        }
        fprintf(out, "%-10s %.*s%s\n", line == 0 ? what : "", (int)length, text,
                line + 1 == LINES && !ends ? " ..." : "");
        text += length;
        text += strspn(text, " \n");
    }
}

/* --- The description ---------------------------------------------------------------------------- */

static void print_outputs(FILE *out, const struct qd_reduced *reduced, struct qd_arena *arena)
{
    const struct qd_graph *graph = reduced->kase.graph;

    for (size_t i = 0; reduced->evaluated.values && i < graph->output_count; i++) {
        const char *name = graph->values[graph->outputs[i]].name;

        fprintf(out, "%-10s %s = %s\n", "want", name,
                or_unknown(
                    qd_describe_tensor(&reduced->evaluated.values[i].want, SHOWN_ELEMENTS, arena)));
        if (reduced->trial.run.outputs) {
            fprintf(out, "%-10s %s = %s\n", "have", name,
                    or_unknown(
                        qd_describe_tensor(&reduced->trial.run.outputs[i], SHOWN_ELEMENTS, arena)));
        }
    }
}

/* The first element that differs, when its set has more than one member. */
static void print_set(FILE *out, const struct qd_reduced *reduced, struct qd_arena *arena)
{
    const struct qd_comparison *comparison = &reduced->after.comparison;
    char lo[40], hi[40];

    if (comparison->mismatched > 0 && comparison->lo < comparison->hi) {
        const struct qd_tensor *want = &reduced->evaluated.values[comparison->output].want;

        fprintf(out, "%-10s %s to %s at %s\n", "admissible",
                qd_describe_number(want->dtype, comparison->lo, lo, sizeof lo),
                qd_describe_number(want->dtype, comparison->hi, hi, sizeof hi),
                or_unknown(qd_describe_place(want, comparison->element, arena)));
    }
}

static void print_diagnosis(FILE *out, const struct qd_diagnosis *diagnosis, struct qd_arena *arena)
{
    print_if(out, "diagnosis", diagnosis->label);
    print_if(out, "effect", qd_diagnosis_effect(diagnosis, arena));
    print_if(out, "seen", qd_diagnosis_seen(diagnosis, arena));
    print_if(out, "place", diagnosis->place);
    print_if(out, "facts", diagnosis->facts);
    print_if(out, "evidence",
             diagnosis->neighbours > 0 ? qd_describe_evidence(diagnosis, arena) : "");
}

static void print_sizes(FILE *out, const struct qd_finding_report *report)
{
    const struct qd_case_size *before = &report->reduced->size_before,
                              *after = &report->reduced->size_after;

    fprintf(out, "%-10s %s: %zu to %zu nodes, %" PRId64 " to %" PRId64 " elements", "reduced from",
            report->from, before->nodes, after->nodes, before->elements, after->elements);
    if (before->output_elements >= 0) {
        fprintf(out, ", %" PRId64 " to %" PRId64 " of outputs", before->output_elements,
                after->output_elements);
    }
    fputc('\n', out);
}

void qd_finding_describe(FILE *out, const struct qd_finding_report *report, struct qd_arena *arena)
{
    const struct qd_reduced *reduced = report->reduced;
    enum qd_verdict verdict = reduced->after.comparison.verdict;

    print_if(out, "finding", reduced->after.signature);
    print_if(out, "target", report->target);
    fprintf(out, "%-10s %s: %s\n", "class", qd_verdict_word(verdict), qd_verdict_meaning(verdict));
    print_if(out, "severity", qd_severity_word(reduced->trial.citation.severity));
    print_if(out, "breaks", reduced->trial.citation.clause);
    print_if(out, "rule", reduced->kase.rule);
    print_outputs(out, reduced, arena);
    print_set(out, reduced, arena);
    print_diagnosis(out, &reduced->after.diagnosis, arena);
    print_if(out, "words", reduced->trial.run.message);
    if (reduced->trial.run.signal != 0)
        fprintf(out, "%-10s %d\n", "signal", reduced->trial.run.signal);
    print_sizes(out, report);
}

/* --- Files -------------------------------------------------------------------------------------- */

/* What a writer of text puts into memory becomes a file. */
static enum qd_status begin_text(struct qd_memory_stream *text, struct qd_error *error)
{
    return qd_memory_open(text) ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for a text");
}

static enum qd_status end_text(struct qd_memory_stream *text, enum qd_status status,
                               const char *path, struct qd_error *error)
{
    if (!qd_memory_close(text) && status == QD_OK)
        status = qd_fail(error, QD_NO_MEMORY, "no memory for %s", path);
    if (status == QD_OK)
        status = qd_file_write(path, text->text, text->size, error);
    free(text->text);
    return status;
}

enum qd_status qd_finding_write_text(const struct qd_finding_report *report, const char *path,
                                     struct qd_arena *arena, struct qd_error *error)
{
    struct qd_memory_stream comment, text;
    enum qd_status status = begin_text(&comment, error);

    if (status != QD_OK)
        return status;
    qd_finding_describe(comment.out, report, arena);
    if (!qd_memory_close(&comment))
        status = qd_fail(error, QD_NO_MEMORY, "no memory for %s", path);
    if (status == QD_OK)
        status = begin_text(&text, error);
    if (status == QD_OK) {
        status = qd_case_write_text(&report->reduced->kase, comment.text, arena, text.out, error);
        status = end_text(&text, status, path, error);
    }
    free(comment.text);
    return status;
}

enum qd_status qd_finding_write_page(const struct qd_finding_report *report, const char *path,
                                     bool has_script, struct qd_arena *arena,
                                     struct qd_error *error)
{
    const struct qd_machine machine = qd_machine_read(arena);
    struct qd_memory_stream text;
    enum qd_status status = begin_text(&text, error);

    if (status != QD_OK)
        return status;
    fprintf(text.out, "# %s\n\n**What.**\n```\n", report->reduced->after.signature);
    qd_finding_describe(text.out, report, arena);
    fputs("```\n\n**Witness.**\n```\n", text.out);
    qd_case_show_graph(text.out, &report->reduced->kase, arena);
    fprintf(text.out, "```\n\n**Where.** %s, on %s.\n\n**Reproduce.**\n```\n", report->target,
            machine.cpu);
    fprintf(text.out, "qdiff repro case.qdcase --no-expectations --target '%s'\n", report->target);
    fputs(has_script ? "python3 reproduce.py\n```\n" : "```\n", text.out);
    return end_text(&text, QD_OK, path, error);
}

/* --- The bundle --------------------------------------------------------------------------------- */

static enum qd_status write_script(const struct qd_finding_report *report,
                                   const struct qd_evaluated *evaluated, const char *path,
                                   struct qd_arena *arena, const char **why, struct qd_error *error)
{
    struct qd_error local = {0};
    enum qd_status status = QD_OK;

    *why = "only ONNX Runtime's targets have one";
    if (strncmp(report->target, "ort@", 4) != 0)
        return QD_OK;
    status = qd_bundle_write(evaluated, report->target, path, arena, &local);
    *why = status == QD_OK ? "" : qd_arena_string(arena, local.text);
    if (!*why)
        return qd_fail(error, QD_NO_MEMORY, "no memory for reproduce.py");
    if (status == QD_UNSUPPORTED)
        return QD_OK;
    return status == QD_OK ? QD_OK : qd_fail(error, status, "%s", local.text);
}

enum qd_status qd_finding_write_bundle(const struct qd_finding_report *report, const char *path,
                                       struct qd_arena *arena, const char **script,
                                       struct qd_error *error)
{
    const struct qd_case *kase = &report->reduced->kase;
    const char *text = qd_arena_printf(arena, "%s/case.textproto", path);
    const char *encoded = qd_arena_printf(arena, "%s/case.qdcase", path);
    const char *page = qd_arena_printf(arena, "%s/report.md", path);
    const char *why = "";

    if (!text || !encoded || !page)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a bundle");
    struct qd_evaluated evaluated;
    enum qd_status status = qd_case_evaluate(kase, arena, &evaluated, error);
    if (status == QD_OK)
        status = qd_case_export(kase, path, evaluated.shapes, error);
    if (status == QD_OK)
        status = qd_case_save(kase, encoded, error);
    if (status == QD_OK)
        status = qd_finding_write_text(report, text, arena, error);
    if (status == QD_OK)
        status = write_script(report, &evaluated, path, arena, &why, error);
    if (status == QD_OK)
        status = qd_finding_write_page(report, page, why[0] == '\0', arena, error);
    if (status == QD_OK)
        *script = why;
    return status;
}
