/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the cases that get a page with all details: the smallest ones of each cause, in turn. */
#include <string.h>

#include "report/report.h"

/* A member of a cause, or its first on a case. */
static bool is_new(const struct qd_cause_member *members, size_t i)
{
    return i == 0 || strcmp(members[i].id, members[i - 1].id) != 0;
}

static bool is_smaller(const struct qd_cause_member *a, const struct qd_cause_member *b)
{
    return a->elements != b->elements ? a->elements < b->elements : a->weight < b->weight;
}

/* The smallest case of the cause that has no page; NULL if all have one. */
static struct qd_report_case *next_of(const struct qd_report *report, const struct qd_cause *cause)
{
    const struct qd_cause_member *members = &report->causes.members[cause->first];
    const struct qd_cause_member *smallest = NULL;

    for (size_t i = 0; i < cause->results; i++)
        if (is_new(members, i) && (!smallest || is_smaller(&members[i], smallest)) &&
            qd_report_find(report, members[i].id)->page == 0)
            smallest = &members[i];
    return smallest ? qd_report_find(report, smallest->id) : NULL;
}

void qd_report_choose(struct qd_report *report)
{
    size_t count = 0;

    for (size_t i = 0; i < report->causes.count && count < QD_REPORT_PAGES; i++) {
        struct qd_report_case *smallest =
            qd_report_find(report, report->causes.items[i].smallest->id);

        if (smallest->page == 0)
            smallest->page = ++count;
    }
    for (int round = 1; round < QD_REPORT_PAGES_OF_CAUSE; round++) {
        for (size_t i = 0; i < report->causes.count && count < QD_REPORT_PAGES; i++) {
            struct qd_report_case *next = next_of(report, &report->causes.items[i]);

            if (next)
                next->page = ++count;
        }
    }
}
