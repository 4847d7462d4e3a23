/* SPDX-License-Identifier: Apache-2.0 */
/* What every family of generated cases is measured by: how many cases, whether their ids differ,
 * whether the same ones come every time, how much of the feature table they cover. */
#ifndef QDIFF_FAMILIES_CENSUS_TESTLIB_H
#define QDIFF_FAMILIES_CENSUS_TESTLIB_H

#include "qdiff/covering.h"
#include "qdiff/features.h"
#include "qdiff/suite.h"

struct qd_census {
    size_t count, capacity;
    char **ids;
    uint64_t numbers; /* hash of all tensors and slugs, not of the models' bytes */
    uint64_t bytes;   /* hash of all encoded cases */
    size_t features[QD_FEATURE_COUNT];
};

/* Fails the running test if the family fails. */
struct qd_census qd_census_take(const struct qd_family *family, enum qd_level level);
void qd_census_release(struct qd_census *census);

/* Fails the running test unless least ≤ count ≤ most and all ids differ. */
void qd_census_check_ids(struct qd_census *census, size_t least, size_t most);

/* The same for the first `levels` levels, whose counts it prints. */
void qd_census_check_counts(const struct qd_family *family, int levels, const size_t *least,
                            const size_t *most);

/* Fails the running test unless two runs give equal cases and each level starts with the cases
 * of the one below. */
void qd_census_check_repeats(const struct qd_family *family);

/* Builds the array of that strength (2 or 3) and counts, by brute force of its own, which
 * combinations of levels are possible: fails unless each of these occurs in a row. */
void qd_census_check_coverage(const struct qd_factor_table *table, unsigned strength);

#endif
