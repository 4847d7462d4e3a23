/* SPDX-License-Identifier: Apache-2.0 */
/* `qdiff coverage`: which rules, types and opsets the cases cover, and what is missing. */
#include "select/coverage.h"

#include <errno.h>
#include <string.h>

#include "command/command.h"
#include "select/factors.h"
#include "select/visit.h"

/* A walk over the cases. */
struct walk {
    struct qd_coverage coverage;
    struct qd_arena arena; /* of one case */
    enum qd_status status;
    struct qd_error *error;
};

static enum qd_visit take(void *context, const struct qd_selected *selected)
{
    struct walk *walk = context;

    qd_arena_reset(&walk->arena);
    walk->status = qd_coverage_add(&walk->coverage, selected->kase, &walk->arena, walk->error);
    if (walk->status != QD_OK)
        qd_fail_context(walk->error, walk->status, "%s", selected->kase->id);
    return walk->status == QD_OK ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit take_bad(void *context, const char *path, const struct qd_error *error)
{
    struct walk *walk = context;

    (void)path; /* the error names it */
    *walk->error = *error;
    walk->status = error->status;
    return QD_VISIT_STOP;
}

static enum qd_status write_page(const struct qd_coverage *coverage,
                                 const struct qd_selection *selection, const char *path,
                                 struct qd_error *error)
{
    FILE *out = fopen(path, "we");

    if (!out)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", path,
                       strerror(errno));
    enum qd_status status = qd_coverage_print(coverage, selection, true, out, error);
    if (status == QD_OK)
        status = qd_coverage_print_tables(true, out, error);
    if (fclose(out) != 0 && status == QD_OK)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", path,
                       strerror(errno));
    return status;
}

static enum qd_status cover(struct qd_command *command, struct walk *walk, struct qd_error *error)
{
    struct qd_visitor visitor = {take, take_bad, walk};
    struct qd_selection selection;
    enum qd_status status = qd_selection_init(&command->options, command->arena, &selection, error);

    if (status == QD_OK)
        status = qd_visit_selected(&selection, &visitor, error);
    status = status == QD_OK ? walk->status : status;
    if (status == QD_OK && command->options.markdown)
        return write_page(&walk->coverage, &selection, command->options.markdown, error);
    if (status == QD_OK)
        status = qd_coverage_print(&walk->coverage, &selection, false, command->out, error);
    return status == QD_OK ? qd_coverage_print_tables(false, command->out, error) : status;
}

/* Open pairs are told, and fail nothing: --op may ask for one operator alone. */
static enum qd_exit run_factors(struct qd_command *command)
{
    struct qd_error error = {0};
    struct qd_selection selection;
    size_t holes = 0;
    enum qd_status status =
        qd_selection_init(&command->options, command->arena, &selection, &error);

    if (status == QD_OK)
        status = qd_factors_print(&selection, command->options.write, command->out, &holes, &error);
    if (status == QD_OK)
        fprintf(command->out, "%zu pairs of levels are open: no case and no excuse\n", holes);
    return status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

static enum qd_exit run(struct qd_command *command)
{
    struct qd_error error = {0};

    if (command->options.factors)
        return run_factors(command);
    struct walk walk = {.error = &error};

    qd_arena_init(&walk.arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = cover(command, &walk, &error);
    qd_coverage_clear(&walk.coverage);
    qd_arena_clear(&walk.arena);
    return status == QD_OK ? QD_EXIT_OK : qd_command_failed(command, &error);
}

const struct qd_verb qd_verb_coverage = {
    .arguments = "",
    .at_most = 0,
    .options = "level filter op feature tag shard cases pack markdown factors write",
    .text = "Shows what the suite covers: for each operator the rules that a must-reject case\n"
            "breaks, and for each combination of types the number of cases at every opset. An\n"
            "empty cell gives the reason: the rule or the sentence with which the reference\n"
            "refuses it, or \"hole\".\n"
            "With --factors it shows what the family \"derived\" is made of: for each operator\n"
            "the factors that follow from its row, how many cases have each level, how many\n"
            "pairs of levels some case has, and for each level or pair that none has the rule\n"
            "or the sentence with which the reference refuses it. All operators take minutes.",
    .examples = "    qdiff coverage\n"
                "    qdiff coverage --markdown coverage.md\n"
                "    qdiff coverage --factors --op QLinearConv",
    .run = run,
};
