/* SPDX-License-Identifier: Apache-2.0 */
/* Units: the pieces of a network that backends see as one.
 *
 * A unit is a node, or a Q/DQ block: DequantizeLinear nodes, the float operators between, and the QuantizeLinear
 * after them. A float value that several nodes read, or that is a graph output, ends a unit. A DequantizeLinear
 * belongs to every block that reads it, and is a unit of its own where something else does. Constant nodes belong
 * to none. */
#ifndef QDIFF_UNITS_H
#define QDIFF_UNITS_H

#include "qdiff/network.h"

/* Operators in a block, beyond which a float value ends it. */
#define QD_UNIT_MOST_NODES 48

struct qd_unit {
    int root; /* the node whose outputs it gives: the last one */
    size_t node_count, input_count, output_count;
    const int *nodes;   /* in order */
    const int *inputs;  /* values it reads that it does not compute and that are no constants */
    const int *outputs; /* those of the root that somebody reads, or all */
};

/* All units in topological order. NO_MEMORY. */
enum qd_status qd_units_find(const struct qd_network *network, struct qd_arena *arena,
                             const struct qd_unit **units, size_t *count, struct qd_error *error);

/* One node as a unit, and several units, in order, as one: its outputs are what is read outside of it. NO_MEMORY. */
enum qd_status qd_unit_of_node(const struct qd_network *network, int node, struct qd_arena *arena,
                               struct qd_unit *unit, struct qd_error *error);
enum qd_status qd_unit_join(const struct qd_network *network, const struct qd_unit *units,
                            size_t count, struct qd_arena *arena, struct qd_unit *joined,
                            struct qd_error *error);

/* Whether the network's quantization is at work in the unit: a QuantizeLinear, a DequantizeLinear, or an operator
 * that has scales or integer products, by name where the reference does not have it. */
bool qd_unit_is_quantized(const struct qd_network *network, const struct qd_unit *unit);

#endif
