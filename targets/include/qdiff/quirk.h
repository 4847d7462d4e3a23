/* SPDX-License-Identifier: Apache-2.0 */
/* Quirks: wrong semantics that implementations are known to have, each with a name, an equation and where it was seen.
 *
 * One list (quirks.def) with one row each, used three ways: a quirk is a mutant that the suite must notice
 * (`qdiff self-test`, target "quirk:<name>"), a name for a difference (diagnosis), and a key of expectation rows.
 * A quirk is a setting of semantics.h's switches, or an override (override.h): of nodes,
 * of the graph, or of nodes that it marks in the graph.
 *
 * Source: the public reports named in each row. */
#ifndef QDIFF_QUIRK_H
#define QDIFF_QUIRK_H

#include "qdiff/override.h"
#include "qdiff/semantics.h"

/* QD_QUIRK_FAMILY(NAME, word): what kind of mistake it is. */
#define QD_QUIRK_FAMILY_LIST(QD_QUIRK_FAMILY)   \
    QD_QUIRK_FAMILY(ZERO_POINT, "zero-point")   \
    QD_QUIRK_FAMILY(AXIS, "axis")               \
    QD_QUIRK_FAMILY(PADDING, "padding")         \
    QD_QUIRK_FAMILY(ROUNDING, "rounding")       \
    QD_QUIRK_FAMILY(REQUANTIZE, "requantize")   \
    QD_QUIRK_FAMILY(ACCUMULATOR, "accumulator") \
    QD_QUIRK_FAMILY(RANGE, "range")             \
    QD_QUIRK_FAMILY(TYPE, "type")               \
    QD_QUIRK_FAMILY(OPTIONAL, "optional")       \
    QD_QUIRK_FAMILY(LAYOUT, "layout")           \
    QD_QUIRK_FAMILY(SHARED, "shared")           \
    QD_QUIRK_FAMILY(GRAPH, "graph")

#define QD_QUIRK_FAMILY_ENUM(name, word) QD_QUIRK_##name,
enum qd_quirk_family { QD_QUIRK_FAMILY_LIST(QD_QUIRK_FAMILY_ENUM) QD_QUIRK_FAMILY_COUNT };
#undef QD_QUIRK_FAMILY_ENUM

const char *qd_quirk_family_word(enum qd_quirk_family family);

struct qd_quirk {
    const char *name; /* "zero-point-before-rounding-f32": lower case, digits, '-' */
    enum qd_quirk_family family;
    const char *
        ops; /* operators it changes: patterns over "op_type" and "com.microsoft:op_type", separated by blanks */
    const char *effect; /* one sentence with the equation */
    const char *
        seen; /* public ids ("onnxruntime #25512"), or "from the specification" where none is known */
    const char *witness; /* the smallest case that shows it, with both results */
    /* Exactly one of the two: */
    const char *switches;               /* for qd_semantics_parse() */
    const struct qd_override *override; /* its `next` is NULL */
};

/* Row i of the list, NULL past its end; in the order of families, then as listed. */
const struct qd_quirk *qd_quirk_at(size_t i);

/* The quirk of that name, NULL if there is none. */
const struct qd_quirk *qd_quirk_find(const char *name);

/* Whether the graph holds an operator that the quirk is about. Cheap; false means that it changes nothing there. */
bool qd_quirk_concerns(const struct qd_quirk *quirk, const struct qd_graph *graph);

/* Whether the quirk is about this operator. */
bool qd_quirk_concerns_node(const struct qd_quirk *quirk, const struct qd_node *node);

/* The semantics under all of `list` at once (count 0: the specification's), overrides in the order given. USAGE when
 * two set the same switch or one comes twice; NO_MEMORY. The chain of overrides is the arena's. */
enum qd_status qd_quirks_apply(const struct qd_quirk *const *list, size_t count,
                               struct qd_arena *arena, struct qd_semantics *semantics,
                               struct qd_error *error);

/* The semantics under one quirk in the nodes of one operator, and the specification's in all others. UNSUPPORTED: a
 * quirk that rewrites the graph; NO_MEMORY. */
enum qd_status qd_quirk_apply_to(const struct qd_quirk *quirk, const struct qd_op *op,
                                 struct qd_arena *arena, struct qd_semantics *semantics,
                                 struct qd_error *error);

/* The same from text: words joined by '+' or ',', each a quirk's name or switch=value. USAGE names an unknown word. */
enum qd_status qd_quirks_parse(const char *text, struct qd_arena *arena,
                               struct qd_semantics *semantics, struct qd_error *error);

/* What an implementation of these semantics answers: value->want, and, where several values are right and none is
 * canonical, the least of them, which is put there. */
void qd_quirk_answer(const struct qd_value *value);

#endif
