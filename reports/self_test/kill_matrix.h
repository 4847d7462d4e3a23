/* SPDX-License-Identifier: Apache-2.0 */
/* The suite and the harness held against what they have to notice: every
 * quirk, and broken parts of the harness itself. */
#ifndef QDIFF_REPORTS_KILL_MATRIX_H
#define QDIFF_REPORTS_KILL_MATRIX_H

#include "qdiff/kill.h"
#include "run/interrupt.h"
#include "select/visit.h"

/* A quirk that fewer cases notice is a hole in the suite. */
enum { QD_LEAST_KILLS = 3 };

struct qd_kill_matrix {
    size_t case_count;
    const char **ids;       /* of each case */
    bool *ties;             /* tagged "tie" */
    struct qd_kills *kills; /* of each case */
    size_t quirk_count;
    double *seconds; /* of each quirk, over all jobs */
    double wall;     /* seconds that it all took */
};

struct qd_matrix_plan {
    const struct qd_selection *selection;
    const struct qd_harness *harness;
    bool mutants;  /* false: the harness alone */
    bool least;    /* a process asks a quirk no more that QD_LEAST_KILLS cases have noticed */
    size_t stride; /* n: only every n-th case */
    uint64_t jobs; /* processes; 0: 1 */
    struct qd_interrupt *interrupt; /* ends it early; NULL: nothing does */
};

/* Visits the selected cases. Lives in the arena. A process that dies, or an interrupt, leaves cases undone, for
 * qd_matrix_judge to find. */
enum qd_status qd_matrix_make(const struct qd_matrix_plan *plan, struct qd_arena *arena,
                              struct qd_kill_matrix *matrix, struct qd_error *error);

/* What is wrong with it. */
struct qd_self_test_counts {
    size_t lost, false_alarms, blind; /* cases */
    size_t compared;
    size_t holes;     /* quirks with fewer than QD_LEAST_KILLS */
    size_t tie_holes; /* quirks that differ at ties alone, with fewer tie cases than that */
};
void qd_matrix_judge(const struct qd_kill_matrix *matrix, struct qd_self_test_counts *counts);
bool qd_self_test_is_green(const struct qd_self_test_counts *counts);

/* Cases that notice quirk i; *first is the first one's id, NULL if there is none. */
size_t qd_matrix_kills(const struct qd_kill_matrix *matrix, size_t quirk, const char **first);

/* Cases tagged "tie" that notice it. */
size_t qd_matrix_tie_kills(const struct qd_kill_matrix *matrix, size_t quirk);

/* Whether a quirk differs from the specification at exact ties alone, so that only a tie case is sure to notice it. */
bool qd_quirk_needs_ties(const struct qd_quirk *quirk);

/* Broken parts of the harness. Each is put in place of the real one; the judgement has to be red. */
struct qd_broken_part {
    const char *name, *meaning;
    const struct qd_harness *harness;             /* evaluated anew with this one, or NULL: */
    void (*spoil)(struct qd_kill_matrix *matrix); /* a copy of the finished matrix is changed */
};

/* Row i of the list, NULL past its end. */
const struct qd_broken_part *qd_broken_part_at(size_t i);

/* Whether the judgement goes red with the broken part in place. `plan` is that of the matrix. */
enum qd_status qd_broken_part_is_noticed(const struct qd_broken_part *part,
                                         const struct qd_matrix_plan *plan,
                                         const struct qd_kill_matrix *matrix,
                                         struct qd_arena *arena, bool *noticed,
                                         struct qd_error *error);

#endif
