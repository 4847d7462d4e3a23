/* SPDX-License-Identifier: Apache-2.0 */
/* What of a node's operands a compiler knows: constants, and shapes. */
#ifndef QDIFF_TARGETS_QUIRK_CONSTANTS_H
#define QDIFF_TARGETS_QUIRK_CONSTANTS_H

#include "qdiff/graph.h"

#define QD_KNOWN_VALUE '1' /* an initializer, what is computed of such, or absent */
#define QD_KNOWN_SHAPE '0'
#define QD_KNOWN_NOTHING '?' /* comes from a graph input with an open shape */

/* Names each node of the domain `mark` and one of these characters for each operand, and changes nothing else. */
enum qd_status qd_rewrite_mark_known(const struct qd_graph *graph, const char *domain,
                                     const char *mark, struct qd_arena *arena,
                                     const struct qd_graph **rewritten, struct qd_error *error);

/* The characters of a node so marked, NULL for any other. */
const char *qd_known_operands(const struct qd_node *node, const char *mark);

#endif
