/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff help verdicts`: the words of verdicts and result kinds, from the lists that carry them. */
#include "command/command.h"
#include "result/summary.h"

enum { WORD = 18, INDENT = 2 + WORD + 1 };

static void print_row(FILE *out, const char *word, const char *meaning)
{
    fprintf(out, "  %-*s ", WORD, word);
    qd_help_wrapped(out, meaning, INDENT);
}

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a summand */
#define COUNT(name, word, severity, meaning) +1
enum { OF_QUANTIZERS = 0 QD_QUANTIZER_FINDING_LIST(COUNT) };
#undef COUNT

/* The verdicts from `first` up to `end` that are divergences, or those that are none. */
static void print_verdicts(FILE *out, int first, int end, bool divergence)
{
    for (int i = first; i < end; i++)
        if (qd_verdict_is_divergence((enum qd_verdict)i) == divergence)
            print_row(out, qd_verdict_word((enum qd_verdict)i),
                      qd_verdict_meaning((enum qd_verdict)i));
}

static void print_severities(FILE *out)
{
    for (int i = QD_SEVERITY_NONE + 1; i < QD_SEVERITY_COUNT; i++)
        print_row(out, qd_severity_word((enum qd_severity)i),
                  qd_severity_meaning((enum qd_severity)i));
}

/* The exit code of a run with one passing case and one result of this kind. */
static int exit_code(enum qd_result_kind kind)
{
    struct qd_summary summary = {0};
    struct qd_result pass = qd_result_init("pass", "", "target", QD_RESULT_PASS);
    struct qd_result result = qd_result_init("result", "", "target", kind);
    int code = QD_EXIT_OWN_FAILURE;

    if (qd_summary_add(&summary, &pass, NULL) == QD_OK &&
        qd_summary_add(&summary, &result, NULL) == QD_OK)
        code = qd_summary_exit(&summary);
    qd_summary_clear(&summary);
    return code;
}

static void print_kinds(FILE *out)
{
    for (int i = 0; i < QD_RESULT_COUNT; i++) {
        enum qd_result_kind kind = (enum qd_result_kind)i;

        fprintf(out, "  %-*s exit code %d: ", WORD, qd_result_word(kind), exit_code(kind));
        qd_help_wrapped(out, qd_result_meaning(kind), INDENT + sizeof "exit code 0: " - 1);
        fprintf(out, "%*s-> ", INDENT, "");
        qd_help_wrapped(out, qd_result_next(kind), INDENT + 3);
    }
}

void qd_topic_verdicts(FILE *out)
{
    fputs("A verdict is what one case showed on one target. The result kind adds whether a\n"
          "row of the expectations file covers it; the kind decides the exit code.\n\n"
          "Verdicts that pass (exit code 0):\n",
          out);
    print_verdicts(out, 0, QD_VERDICT_COUNT, false);
    fputs("\nFailures of kernels (exit code 1, or 0 where an expectation row covers it):\n", out);
    print_verdicts(out, 0, QD_VERDICT_COUNT - OF_QUANTIZERS, true);
    fputs("  -> qdiff repro ID --target T      the verdict again, the message, the diagnosis\n"
          "     qdiff explain ID --target T    the arithmetic of the first wrong element\n"
          "     qdiff reduce ID --target T --output DIR    the smallest case that shows it\n",
          out);
    fputs("\nFailures of tools that quantize models (the same exit codes); crash, hang, oom,\n"
          "rejects-valid and accepts-invalid are used for them as well:\n",
          out);
    print_verdicts(out, QD_VERDICT_COUNT - OF_QUANTIZERS, QD_VERDICT_COUNT, true);
    fputs("  -> qdiff show ID                  the float model, the ranges and the options\n"
          "     qdiff repro ID --target T      the verdict again, with every finding\n",
          out);
    fputs("\nSeverity of a failure, with the clause that it breaks in TAP and results:\n", out);
    print_severities(out);
    fputs("\nResult kinds:\n", out);
    print_kinds(out);
    fputs("\nWords of the summary: slack, elements with more than one admissible value; of\n"
          "extreme scale, elements for which some order overflows or becomes subnormal; not\n"
          "judged, rows of which the run did not have all cases.\n"
          "Names of a diagnosis: a, the known wrong semantics (quirk) that gives the\n"
          "target's output bit for bit, here and on the neighbours that were run (there\n"
          "another fault may come on top: the evidence names those that fit); a|b, each of\n"
          "these does, and no neighbour told them apart; a+b, only both together do;\n"
          "unexplained, none does, or not enough speaks for one.\n",
          out);
    fputs("\nA stale row has exit code 1 too: all cases of an expectation row ran, and none\n"
          "diverges as the row says.\n"
          "  -> Delete the row, or correct it.\n"
          "\nA run that compares nothing has exit code 4. All exit codes: qdiff help.\n",
          out);
}
