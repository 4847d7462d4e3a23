/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases made of each operator's row cover: factor by factor, pair by pair, and the
 * holes with their excuses. */
#ifndef QDIFF_REPORTS_FACTORS_H
#define QDIFF_REPORTS_FACTORS_H

#include <stdio.h>

#include "select/selection.h"

/* Learns the rows of the operators that --op asks for and prints them; takes minutes for all.
 * `write`: the file that then gets the table of all operators' rows, those of others as they
 * are; NULL: none. *holes: pairs of levels without case and without excuse. IO, NO_MEMORY and
 * the statuses of qd_derived_cover. */
enum qd_status qd_factors_print(const struct qd_selection *selection, const char *write, FILE *out,
                                size_t *holes, struct qd_error *error);

#endif
