/* SPDX-License-Identifier: Apache-2.0 */
/* What of a node's operands a compiler knows: constants, and shapes. */
#ifndef QDIFF_TARGETS_QUIRK_CONSTANTS_H
#define QDIFF_TARGETS_QUIRK_CONSTANTS_H

#include "qdiff/graph.h"

/* Writes into the name of each node of the domain, after `mark`, what is known of its operands, and changes nothing
 * else. */
enum qd_status qd_rewrite_mark_known(const struct qd_graph *graph, const char *domain,
                                     const char *mark, struct qd_arena *arena,
                                     const struct qd_graph **rewritten, struct qd_error *error);

/* What was written; NULL for a node that is not marked. */
const char *qd_known_operands(const struct qd_node *node, const char *mark);

/* Whether operand i is an initializer, computed of such, or absent. */
bool qd_known_value(const char *known, size_t i);

/* Whether operand i is what a QuantizeLinear gives, and no constant. */
bool qd_known_codes(const char *known, size_t i);

/* Whether another node reads operand i, which is neither, with another scale, the operand after it, and the same
 * zero point, the next. */
bool qd_known_shared(const char *known, size_t i);

/* Which axes of operand i have no known length, by bit: those of a graph input; all of what is computed of such. */
unsigned qd_open_axes(const char *known, size_t i);

#endif
