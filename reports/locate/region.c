/* SPDX-License-Identifier: Apache-2.0 */
/* Finds regions of units that are right alone and wrong together. */
#include "locate/region.h"

/* A search on one target. */
struct search {
    struct qd_locate *locate;
    struct qd_locate_report *report;
    struct qd_error *error;
    size_t target, found;
    size_t runs, units; /* of units that are right alone, and ran together */
    size_t unasked;     /* neighbours that the reference or the target cannot take together */
};

/* Whether units first .. end - 1 differ together; TOO_LARGE where the reference cannot say. */
static enum qd_status ask(struct search *search, size_t first, size_t end,
                          enum qd_region_answer *answer)
{
    return qd_locate_region(search->locate, first, end - first, search->target, NULL, answer,
                            search->error);
}

static enum qd_status take_region(void *context, const struct qd_located_unit *region,
                                  struct qd_error *error)
{
    struct search *search = context;

    search->found++;
    return qd_locate_report_region(search->report, region, error);
}

/* Units first .. end - 1 differ together: the shortest beginning of them that does, then the shortest end of that. */
static enum qd_status narrow(struct search *search, size_t first, size_t end, size_t *from)
{
    enum qd_status status = QD_OK;
    enum qd_region_answer answer;
    size_t low = first + 1, start = first, high;

    while (status == QD_OK && low + 1 < end) { /* [first, low) is right, [first, end) differs */
        size_t middle = (low + end) / 2;

        status = ask(search, first, middle, &answer);
        if (answer == QD_REGION_DIFFERS)
            end = middle;
        else
            low = middle;
    }
    high = end - 1;
    while (status == QD_OK && start + 1 < high) { /* [start, end) differs, [high, end) is right */
        size_t middle = (start + high) / 2;

        status = ask(search, middle, end, &answer);
        if (answer == QD_REGION_DIFFERS)
            start = middle;
        else
            high = middle;
    }
    *from = start;
    struct qd_locate_listener listener = {take_region, search};
    return status == QD_OK ? qd_locate_region(search->locate, start, end - start, search->target,
                                              &listener, &answer, search->error)
                           : status;
}

/* A run of units that are right alone. What is too large is halved, with an overlap. */
static enum qd_status search_run(struct search *search, size_t first, size_t end)
{
    enum { OVERLAP = 2 };
    enum qd_region_answer answer;
    size_t from;
    enum qd_status status = QD_OK;

    while (status == QD_OK && end - first >= 2 && search->found < QD_MOST_REGIONS &&
           !qd_interrupt_seen(search->locate->interrupt)) {
        status = ask(search, first, end, &answer);
        if (status != QD_OK || answer == QD_REGION_RIGHT)
            return status;
        if (answer == QD_REGION_TOO_LARGE) {
            size_t middle = (first + end) / 2;

            if (end - first <= 2 * OVERLAP) {
                search->unasked++;
                return QD_OK;
            }
            status = search_run(search, first, middle + OVERLAP / 2);
            return status == QD_OK ? search_run(search, middle - OVERLAP / 2, end) : status;
        }
        status = narrow(search, first, end, &from);
        first = from + 1;
    }
    return status;
}

/* Each longest run of units that are right on the target. */
static enum qd_status search_target(struct search *search)
{
    const struct qd_locate *locate = search->locate;
    enum qd_status status = QD_OK;
    size_t first = 0;

    for (size_t i = 0; i <= locate->unit_count && status == QD_OK; i++) {
        if (i < locate->unit_count && qd_locate_is_right(locate, i, search->target))
            continue;
        if (i - first >= 2) {
            search->runs++;
            search->units += i - first;
            status = search_run(search, first, i);
        }
        first = i + 1;
    }
    return status;
}

/* What was asked, and what was not. */
static void print_search(FILE *out, const struct search *search)
{
    const struct qd_locate *locate = search->locate;

    fprintf(
        out,
        "\ntogether  %s: %zu regions differ; %zu of %zu units are right alone and ran in %zu runs",
        locate->targets->items[search->target].id, search->found, search->units, locate->unit_count,
        search->runs);
    if (search->found == QD_MOST_REGIONS)
        fputs("; the search ended there", out);
    if (search->unasked > 0)
        fprintf(out, "; %zu groups of neighbours cannot be judged together", search->unasked);
    fputc('\n', out);
}

enum qd_status qd_regions_find(struct qd_locate *locate, struct qd_locate_report *report,
                               struct qd_error *error)
{
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < locate->targets->count && status == QD_OK; i++) {
        struct search search = {locate, report, error, .target = i};

        status = search_target(&search);
        print_search(report->out, &search);
    }
    return status;
}
