/* SPDX-License-Identifier: Apache-2.0 */
/* Order of release numbers, and ranges of them. */
#ifndef QDIFF_VERSION_ORDER_H
#define QDIFF_VERSION_ORDER_H

#include <stdbool.h>

/* < 0, 0, > 0 as release a is older than, the same as, newer than b: numbers between dots compare as numbers
 * ("1.9.0" < "1.10.0"), a missing one is 0 ("1.20" = "1.20.0"), the rest as text; no rest is newest
 * ("1.2.0-rc1" < "1.2.0"). */
int qd_version_order(const char *a, const char *b);

/* Whether `range` is well formed: "*", or a comma-separated list of >=V >V <=V <V =V V. */
bool qd_version_range_ok(const char *range);

/* Whether `version` fulfils every part of a well-formed range. */
bool qd_version_in_range(const char *version, const char *range);

#endif
