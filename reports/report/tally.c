/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the cases of a cause on every column of a report. */
#include "report/tally.h"

#include <string.h>

static void count_case(const struct qd_report *report, const struct qd_report_case *kase,
                       size_t cause, struct qd_tally *tallies)
{
    for (size_t i = kase->first; i < kase->first + kase->count; i++) {
        const struct qd_report_result *result = &report->results[i];

        if (result->column == QD_REPORT_NOWHERE)
            continue;
        struct qd_tally *tally = &tallies[result->column];
        tally->bad += result->cause == cause;
        tally->good += result->result.kind == QD_RESULT_PASS;
        tally->skipped += result->result.kind == QD_RESULT_SKIP;
        tally->other += result->cause != cause && result->cause != QD_REPORT_NOWHERE;
    }
}

struct qd_tally *qd_report_tally(struct qd_report *report, size_t cause)
{
    const struct qd_cause *item = &report->causes.items[cause];
    const struct qd_cause_member *members = &report->causes.members[item->first];
    struct qd_tally *tallies =
        qd_arena_array(&report->arena, report->column_count, sizeof *tallies);

    for (size_t i = 0; tallies && i < item->results; i++)
        if (i == 0 || strcmp(members[i].id, members[i - 1].id) != 0)
            count_case(report, qd_report_find(report, members[i].id), cause, tallies);
    return tallies;
}
