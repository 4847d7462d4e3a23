/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors for a case under construction, with the first failure remembered:
 * so that building reads as a list of facts. */
#ifndef QDIFF_FAMILIES_MAKER_H
#define QDIFF_FAMILIES_MAKER_H

#include "qdiff/build.h"

struct qd_maker {
    struct qd_arena *arena;
    struct qd_error *error;
    struct qd_builder *builder;
    enum qd_status status; /* the first failure */
};

/* A maker whose builder imports `opset` of the default domain. */
struct qd_maker qd_maker_begin(struct qd_arena *arena, int64_t opset, struct qd_error *error);

/* A zeroed tensor; one of no elements after a failure. */
struct qd_tensor qd_maker_tensor(struct qd_maker *maker, enum qd_dtype dtype, unsigned rank,
                                 const int64_t *dims);

/* Element i of a float tensor becomes x rounded to its type; of an integer tensor the code x. */
void qd_maker_set(const struct qd_tensor *tensor, int64_t i, double x);

/* An initializer or, when `run` is true, a run-time input. */
void qd_maker_add(struct qd_maker *maker, const char *name, const struct qd_tensor *tensor,
                  bool run);

/* The case, with its value family as a tag; `spec` is the operator and its version. */
enum qd_status qd_maker_finish(struct qd_maker *maker, const char *slug, const char *tag,
                               const char *spec, struct qd_case *kase);

#endif
