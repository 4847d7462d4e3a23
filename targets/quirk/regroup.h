/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizeLinear and DequantizeLinear with another choice of which scale and zero point belongs to which element. */
#ifndef QDIFF_TARGETS_QUIRK_REGROUP_H
#define QDIFF_TARGETS_QUIRK_REGROUP_H

#include "qdiff/override.h"

/* What a choice can depend on. */
struct qd_layout {
    const struct qd_tensor *x, *scale;
    int64_t axis;  /* as the node has it, 1 if it has none */
    int64_t block; /* block_size; 0: one parameter for each index of the axis */
};

/* Which entry of the parameters the element at these coordinates (of x's rank) uses; −1: a scale of 0. */
typedef int64_t qd_layout_choice(const struct qd_layout *layout, const int64_t *coordinates);

/* The quirk `name`, qd_quirk_<name>, with the choice that the block that follows returns. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of parameters */
#define QD_QUIRK_REGROUP(name, layout, coordinates)                                              \
    static qd_layout_choice choose;                                                              \
    static enum qd_status evaluate(const struct qd_override *self,                               \
                                   struct qd_evaluation *evaluation, const struct qd_node *node, \
                                   const struct qd_value *const *in, struct qd_value *out)       \
    {                                                                                            \
        return qd_regroup(self, evaluation, node, in, choose, out);                              \
    }                                                                                            \
    const struct qd_override qd_quirk_##name = {.node = evaluate};                               \
    static int64_t choose(const struct qd_layout *layout, const int64_t *coordinates)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The choice of the specification, were the axis this one (negative ones count from the end): modulo the number of
 * parameters, so that every axis is possible. An axis that x has not: 0. */
int64_t qd_layout_index(const struct qd_layout *layout, const int64_t *coordinates, int64_t axis);

/* The node by what comes after `self`, under that choice; unchanged where there is but one parameter. */
enum qd_status qd_regroup(const struct qd_override *self, const struct qd_evaluation *evaluation,
                          const struct qd_node *node, const struct qd_value *const *in,
                          qd_layout_choice *choose, struct qd_value *out);

#endif
