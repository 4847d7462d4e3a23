/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that a command line asks for: files it names, or the suite, filtered. */
#ifndef QDIFF_REPORTS_VISIT_H
#define QDIFF_REPORTS_VISIT_H

#include "select/selection.h"

struct qd_selected {
    const struct qd_case *kase;
    struct qd_features features;
    const char *path; /* the file it came from, NULL for a case of the suite */
};

struct qd_visitor {
    /* Called with each selected case, which lives only during the call. */
    enum qd_visit (*take)(void *context, const struct qd_selected *selected);
    /* Called with a file that gives no case. */
    enum qd_visit (*bad)(void *context, const char *path, const struct qd_error *error);
    void *context;
};

/* Visits the files and directories among the arguments (a directory that is no case is searched for *.qdcase files
 * and case directories, in order of name), or, without arguments, those of --pack, or the suite. A failure of the suite
 * itself is INTERNAL, one in a directory given with --cases is what it is. */
enum qd_status qd_visit_selected(const struct qd_selection *selection,
                                 const struct qd_visitor *visitor, struct qd_error *error);

/* The same; `enter` is called with the visitor's context before each part of the kernels' suite (suite.h), and false
 * passes it over. */
enum qd_status qd_visit_parts(const struct qd_selection *selection,
                              const struct qd_visitor *visitor, qd_part_entered *enter,
                              struct qd_error *error);

/* Finds one case for verbs that take ID|FILE: an existing path is loaded (of a directory that is no case, the one case
 * below it), anything else is looked up among the suite's ids at every level. The
 * case lives in the arena. USAGE when there is none. */
enum qd_status qd_find_case(const char *name, const struct qd_options *options,
                            struct qd_arena *arena, struct qd_case *kase, struct qd_error *error);

#endif
