/* SPDX-License-Identifier: Apache-2.0 */
/* What the makers of twins have in common: which cases have one, its id, its check, and other numbers for constants and
 * inputs. Internal to the cases layer. */
#ifndef QDIFF_CASES_TWIN_H
#define QDIFF_CASES_TWIN_H

#include "qdiff/arena.h"
#include "qdiff/case.h"
#include "qdiff/case_edit.h"
#include "qdiff/random.h"

/* Whether the case may have a twin: it is valid, runs a model, is not large and has no level that meets no
 * others. */
bool qd_twin_is_possible(const struct qd_case *kase);

/* Whether it has: one in eight of those. Takes a number of `random` only then. */
bool qd_twin_is_picked(const struct qd_case *kase, struct qd_random *random);

/* The case's id without its hash, and "-word"; NULL: out of memory. */
const char *qd_twin_slug(const struct qd_case *kase, const char *word, struct qd_arena *arena);

/* What the notes of twins begin with; the id of the case follows. */
#define QD_TWIN_NOTE_SCALARS "with scalars: "
#define QD_TWIN_NOTE_STEPS "without steps: "
#define QD_TWIN_NOTE_REWRITING "without rewriting: "
#define QD_TWIN_NOTE_SHAPES "of fixed shape: "

/* The edited case, with such a note. Status as of qd_case_edit_finish, and NO_MEMORY. */
enum qd_status qd_twin_finish(struct qd_case_edit *edit, const struct qd_case *kase,
                              const char *word, const char *note, struct qd_case *twin,
                              struct qd_error *error);

/* Names a twin: its id is the case's slug, the word and the case's hash, so that a row that names
 * the case holds for it; such a note. NO_MEMORY. */
enum qd_status qd_twin_name(const struct qd_case *kase, const char *word, const char *note,
                            struct qd_arena *arena, struct qd_case *twin, struct qd_error *error);

/* Whether the reference takes the graph of a case whose edit inferred its outputs: it did so with the case's inputs. */
bool qd_twin_is_valid(const struct qd_case *twin);

/* Whether the reference takes the graph with these inputs: then a target has to. The outputs' shapes, if so. */
bool qd_twin_takes(const struct qd_graph *graph, const struct qd_tensor *inputs,
                   struct qd_arena *arena, const struct qd_tensor **shapes);

/* Whether everything that reads the value, through an Identity too, reads numbers to compute with: data or a weight. */
bool qd_is_read_as_numbers(const struct qd_graph *graph, int value);

/* Whether every node that reads the value reads it as a scale or a zero point. */
bool qd_is_read_as_parameter(const struct qd_graph *graph, int value);

/* A scale (role SCALE) times `factor`, or a zero point one off. False: out of memory. */
bool qd_other_parameter(enum qd_role role, double factor, const struct qd_tensor *tensor,
                        struct qd_arena *arena, struct qd_tensor *changed);

#endif
