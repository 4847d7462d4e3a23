/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of the mathematics from ranges to scales and zero points, whatever the range. */
#ifndef QDIFF_FUZZ_OBSERVED_PROPERTIES_H
#define QDIFF_FUZZ_OBSERVED_PROPERTIES_H

#include "qdiff/observed_range.h"

/* The property that the rule's parameters for this range break, as words for a signature; NULL: none. */
const char *qd_observed_broken(double rmin, double rmax, const struct qd_observed_rule *rule);

#endif
