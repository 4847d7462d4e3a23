/* SPDX-License-Identifier: Apache-2.0 */
/* Which cases a command line asks for. */
#ifndef QDIFF_REPORTS_SELECTION_H
#define QDIFF_REPORTS_SELECTION_H

#include "command/options.h"
#include "qdiff/evaluate.h"
#include "qdiff/features.h"
#include "qdiff/subject.h"

/* Features that a case must have, and must not. */
struct qd_feature_group {
    struct qd_features needs, bans;
};

struct qd_selection {
    const struct qd_options *options; /* borrowed */
    size_t group_count;
    struct qd_feature_group *groups;
    const struct qd_target_role *role; /* whose suite, where no files are given; NULL: both */
};

/* Whether a word of a list, its "!" taken off, fits what is chosen. */
typedef bool qd_word_fits(const char *word, const void *what);

/* Whether --filter, --op or --tag takes it: no word with a leading "!" fits, and one without does, if there is one. */
bool qd_words_take(const struct qd_words *words, qd_word_fits *fits, const void *what);

/* Understands --feature; the suite is that of the kernel role. USAGE names the unknown feature and the nearest one. */
enum qd_status qd_selection_init(const struct qd_options *options, struct qd_arena *arena,
                                 struct qd_selection *selection, struct qd_error *error);

/* Whether the case is selected, --shard included. */
bool qd_selection_takes(const struct qd_selection *selection, const struct qd_case *kase,
                        const struct qd_features *features);

/* Whether it may take a case of `part`, a family's name or "derived/Cast": by what --filter's globs begin with. */
bool qd_selection_wants_part(const struct qd_selection *selection, const char *part);

/* Whether --op asks for the operator. */
bool qd_selection_takes_op(const struct qd_selection *selection, const struct qd_op *op);

/* Whether nothing of the suite is left out: no filter, no shard, at least the full level, no files, no pack (it may
 * be of another version). */
bool qd_selection_is_whole(const struct qd_selection *selection);

/* The part of `count` that an id falls in: 0 to count − 1, the same on every machine. */
uint64_t qd_shard_of(const char *id, uint64_t count);

#endif
