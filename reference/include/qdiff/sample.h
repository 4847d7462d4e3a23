/* SPDX-License-Identifier: Apache-2.0 */
/* A sample: where all elements of a convolution or a product of matrices would cost more work than they may, some of
 * them are computed, and the others are marked QD_UNSPECIFIED.
 *
 * An output has channels (filters, columns) and positions (places in space, rows). Chosen are all elements of some
 * channels, spread evenly with the first and the last among them, and all channels at some positions: the first and the
 * last one, half of the others at an edge of the space. The choice depends on the sizes alone. */
#ifndef QDIFF_SAMPLE_H
#define QDIFF_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "qdiff/status.h"

struct qd_evaluation;
struct qd_node;
struct qd_value;

/* The caller sets `work`, the most that the products of one node may cost, or `none`: then nothing is computed, though
 * its work is taken. The counts are those of the last node that was sampled, channels 0 if none was. */
struct qd_sample {
    double work;
    bool none;    /* for who asks for shapes alone */
    bool doubted; /* a check asked for numbers that were left out */
    int64_t channels, chosen_channels;
    int64_t positions, chosen_positions;
    bool planes;     /* the elements of a channel follow each other, else those of a position */
    bool active;     /* the node that is evaluated now is sampled */
    uint8_t *chosen; /* per position */
    double edge_share, rest_share; /* of the positions at an edge, and of the others */
};

/* Products of a node: what all of them cost, and how its output is made of them. */
struct qd_products {
    double cost;
    int64_t channels, positions, edges; /* edges: how many positions are at one */
    bool planes;
};

/* Takes the work of a node's products, or of a sample of them. LIMIT where not so much is left; NO_MEMORY. */
enum qd_status qd_sample_begin(const struct qd_evaluation *evaluation,
                               const struct qd_products *products);

/* Whether a channel is computed at all positions, and a position in all channels. A position is asked for once. */
bool qd_sample_channel(const struct qd_evaluation *evaluation, int64_t channel);
bool qd_sample_position(const struct qd_evaluation *evaluation, int64_t position, bool edge);

/* Whether nothing is computed. Then a check of numbers passes, and the answer is in doubt. */
bool qd_sample_doubts(const struct qd_evaluation *evaluation);

/* Whether nothing is computed. */
bool qd_sample_is_none(const struct qd_evaluation *evaluation);

/* Whether nothing is computed. Then all of the output is marked, or *status says why not. */
bool qd_sample_leaves_all(const struct qd_evaluation *evaluation, struct qd_value *out,
                          enum qd_status *status);

/* How many elements of an output are to be computed: all, or none where nothing is (then it is marked) or *status is
 * not OK. */
int64_t qd_sample_elements(const struct qd_evaluation *evaluation, struct qd_value *out,
                           enum qd_status *status);

/* The same, but all of an output of integers: they may be the shape of what comes later. */
int64_t qd_sample_floats(const struct qd_evaluation *evaluation, struct qd_value *out,
                         enum qd_status *status);

/* After a node: marks what of its outputs was left out. LIMIT where there are several, or they are not what was
 * sampled; NO_MEMORY. */
enum qd_status qd_sample_end(const struct qd_evaluation *evaluation, const struct qd_node *node,
                             struct qd_value *out);

#endif
