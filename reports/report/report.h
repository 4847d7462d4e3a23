/* SPDX-License-Identifier: Apache-2.0 */
/* What a report is written from: every result of some results files, by case, with the causes of what failed.
 *
 * report.c reads; matrix.c counts; choose.c says which cases get a page with all details; front.c and
 * case_page.c write the data of the pages; site.c puts them beside the page itself, which is site/. */
#ifndef QDIFF_REPORTS_REPORT_H
#define QDIFF_REPORTS_REPORT_H

#include "causes/causes.h"
#include "command/options.h"
#include "report/names.h"
#include "result/result.h"

/* A results file. */
struct qd_report_run {
    const char *file, *suite, *commit, *started, *cpu, *selection; /* "level full, op Conv" */
    const char *likeness; /* equal for the shards of one run */
    uint64_t shards;      /* 0: not sharded */
    enum qd_level level;
    bool complete; /* not cut short */
};

/* A target in a run: a column of the matrix. */
struct qd_report_column {
    const char *label; /* the id, and what tells it from the same in another run: "... on AMD" */
    const char *target, *name, *version, *settings;
    size_t run;
    bool has_rows; /* it was judged by expectation rows */
};

struct qd_report_result {
    struct qd_result result; /* its target is the column's label */
    size_t column;           /* QD_REPORT_NOWHERE: no target saw the case */
    size_t cause;            /* QD_REPORT_NOWHERE: it passed, or was skipped */
};

#define QD_REPORT_NOWHERE SIZE_MAX

/* Results of one case follow each other. */
struct qd_report_case {
    const char *id, *op;
    size_t first, count; /* results */
    bool diverges;       /* some result has a cause */
    size_t number;       /* among those that diverge, from 0 */
    size_t page;         /* number of the file that holds its details, from 1; 0: none */
    bool written;        /* it has been looked up in the suite */
};

struct qd_report {
    struct qd_arena arena;
    struct qd_names names; /* every string of a result, once */
    size_t run_count, column_count;
    struct qd_report_run *runs;
    struct qd_report_column *columns;
    size_t result_count, result_capacity;
    struct qd_report_result *results; /* by id, then by column */
    size_t case_count;
    struct qd_report_case *cases; /* by id */
    size_t diverging;             /* how many of them diverge */
    struct qd_causes causes;
};

/* Reads the files. *report is to be cleared in any case. IO, MALFORMED with file and line, NO_MEMORY. */
enum qd_status qd_report_read(const struct qd_words *paths, struct qd_report *report,
                              struct qd_error *error);
void qd_report_clear(struct qd_report *report);

/* Gives a page to the smallest cases of each cause, at most QD_REPORT_PAGES in all. */
enum { QD_REPORT_PAGES = 1200, QD_REPORT_PAGES_OF_CAUSE = 12 };
void qd_report_choose(struct qd_report *report);

/* The case of that id, NULL if there is none. */
struct qd_report_case *qd_report_find(const struct qd_report *report, const char *id);

#endif
