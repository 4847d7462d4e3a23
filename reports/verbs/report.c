/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff report`: results files as a page to look at. */
#include <stdint.h>

#include "command/command.h"
#include "report/site.h"

static enum qd_exit run(struct qd_command *command)
{
    const struct qd_options *options = &command->options;
    struct qd_report report;
    struct qd_site site;
    struct qd_error error = {0};

    if (!options->output) {
        fputs("qdiff report: --output DIR is wanted\n", command->err);
        return QD_EXIT_USAGE;
    }
    enum qd_status status = qd_report_read(&options->arguments, &report, &error);
    if (status == QD_OK)
        status = qd_site_write(&report, options, options->output, &site, &error);
    if (status == QD_OK) {
        fprintf(command->out, "%s/index.html: %zu results, %zu causes, %zu cases in detail\n",
                options->output, report.result_count, report.causes.count, site.pages);
    }
    qd_report_clear(&report);
    return status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

const struct qd_verb qd_verb_report = {
    .arguments = "FILE...",
    .at_least = 1,
    .at_most = SIZE_MAX,
    .options = "output cases kills nights",
    .text = "Makes a page of results files, to look at and to send around: the matrix of\n"
            "operators and targets, the causes of failures, and for the smallest cases of each\n"
            "cause what was wanted and given, element by element, with the arithmetic, the\n"
            "model and the case as a file. Several files may hold several targets, releases\n"
            "or machines; releases of one target are compared. With --kills the page shows how\n"
            "many cases notice each quirk, with --nights what the fuzzers found, night by\n"
            "night. The page needs no network and no server: open DIR/index.html. Its\n"
            "libraries come from scripts/setup report.",
    .examples = "    qdiff run -t ort@1.26.0 --no-expectations -r old.jsonl\n"
                "    qdiff run -t ort@1.31.1 -r new.jsonl\n"
                "    qdiff report old.jsonl new.jsonl --output page\n"
                "  with the suite's own strength and the fuzzers' nights\n"
                "    qdiff self-test --jobs 2 --json --output kills.jsonl\n"
                "    qdiff report new.jsonl --kills kills.jsonl \\\n"
                "        --nights ~/.local/state/qdiff/fuzz/nights --output page",
    .run = run,
};
