/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a network: from files, or drawn to fit what the model says of them. */
#ifndef QDIFF_REPORTS_NETWORK_INPUTS_H
#define QDIFF_REPORTS_NETWORK_INPUTS_H

#include <stdio.h>

#include "command/options.h"
#include "locate/kept_values.h"

/* Puts a tensor for each input of the network: that of --input NAME=FILE; else one that is drawn, of the shape of
 * --shape NAME=D,D,..., or as declared, with open dimensions being 1. Drawn numbers are codes' values, and ties
 * between two, where a QuantizeLinear reads the input; all codes of 8-bit integers; 0 and 1 of others; else from -1
 * to 1. What was drawn is said on `out`, with the seed. USAGE names an input that the model does not have, or one
 * of no declared type. */
enum qd_status qd_network_inputs_put(const struct qd_network *network,
                                     const struct qd_options *options, struct qd_arena *arena,
                                     struct qd_kept_values *kept, FILE *out,
                                     struct qd_error *error);

#endif
