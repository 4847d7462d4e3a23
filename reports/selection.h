/* Which cases a command line asks for. */
#ifndef QDIFF_REPORTS_SELECTION_H
#define QDIFF_REPORTS_SELECTION_H

#include "options.h"
#include "qdiff/features.h"

/* Features that a case must have, and must not. */
struct qd_feature_group {
    struct qd_features needs, bans;
};

/* Which of the two suites, where no files are given. */
enum qd_suites { QD_SUITE_OF_KERNELS, QD_SUITE_OF_QUANTIZERS, QD_BOTH_SUITES };

struct qd_selection {
    const struct qd_options *options; /* borrowed */
    size_t group_count;
    struct qd_feature_group *groups;
    enum qd_suites suites;
};

/* Understands --feature; the suite is that of kernels. USAGE names the unknown feature and the nearest one. */
enum qd_status qd_selection_init(const struct qd_options *options, struct qd_arena *arena,
                                 struct qd_selection *selection, struct qd_error *error);

/* Whether the case is selected, --shard included. */
bool qd_selection_takes(const struct qd_selection *selection, const struct qd_case *kase,
                        const struct qd_features *features);

/* Whether nothing of the suite is left out: no filter, no shard, at least the full level, no files, no pack (it may
 * be of another version). */
bool qd_selection_is_whole(const struct qd_selection *selection);

/* The part of `count` that an id falls in: 0 to count − 1, the same on every machine. */
uint64_t qd_shard_of(const char *id, uint64_t count);

#endif
