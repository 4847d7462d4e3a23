/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff causes`: the failures of results files, one entry for each cause. */
#include <stdint.h>

#include "causes/causes_print.h"
#include "command/command.h"
#include "result/results_file.h"

static enum qd_status take_header(void *context, const char *line, const struct qd_header *header,
                                  struct qd_error *error)
{
    (void)context, (void)line, (void)header, (void)error;
    return QD_OK;
}

static enum qd_status take_result(void *context, const struct qd_result *result,
                                  struct qd_error *error)
{
    return qd_causes_add(context, result, error);
}

static enum qd_status take_row(void *context, const struct qd_unmatched_row *row,
                               struct qd_error *error)
{
    (void)context, (void)row, (void)error;
    return QD_OK;
}

static enum qd_status read_all(const struct qd_words *paths, struct qd_causes *causes,
                               struct qd_error *error)
{
    struct qd_results_reader reader = {take_header, take_result, take_row, causes};
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < paths->count && status == QD_OK; i++) {
        bool complete;

        status = qd_results_read(paths->items[i], &reader, &complete, error);
    }
    return status == QD_OK ? qd_causes_find(causes, error) : status;
}

static void print(const struct qd_causes *causes, FILE *out)
{
    for (size_t i = 0; i < causes->count; i++)
        qd_cause_print(&causes->items[i], out);
    if (causes->count == 0)
        fputs("nothing failed, and nothing known was seen\n", out);
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_causes causes;
    struct qd_error error = {0};

    qd_causes_init(&causes);
    enum qd_status status = read_all(&command->options.arguments, &causes, &error);
    if (status == QD_OK && command->options.json)
        qd_causes_write(&causes, command->out);
    else if (status == QD_OK)
        print(&causes, command->out);
    qd_causes_clear(&causes);
    return status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

const struct qd_verb qd_verb_causes = {
    .arguments = "FILE...",
    .at_least = 1,
    .at_most = SIZE_MAX,
    .options = "json",
    .text = "Groups the failures in results files by cause, the largest first, then what is\n"
            "known: one entry with counts, operators, issue, and the command that shows the\n"
            "smallest case. Failures have one cause if they have the same diagnosis, the same\n"
            "message without numbers and names, break the same rule, or if the same features\n"
            "tell them from the cases that pass. qdiff run ends with the same table. With\n"
            "--json it prints one object a line, with the ids of all cases.",
    .examples = "    qdiff run -t ort@1.26.0 --no-expectations -r r.jsonl\n"
                "    qdiff causes r.jsonl",
    .run = run,
};
