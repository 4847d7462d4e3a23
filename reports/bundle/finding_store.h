/* SPDX-License-Identifier: Apache-2.0 */
/* The findings store as the command sees it: its place, and what this machine adds to a finding. */
#ifndef QDIFF_REPORTS_FINDING_STORE_H
#define QDIFF_REPORTS_FINDING_STORE_H

#include "qdiff/store.h"

/* The store of this user and its pool, made if need be. */
enum qd_status qd_finding_store_open(struct qd_arena *arena, struct qd_store **store,
                                     struct qd_store **pool, struct qd_error *error);

/* One sighting, now, on this machine. */
enum qd_status qd_finding_keep(const struct qd_case *kase, const char *signature, bool reduced,
                               const char *target, struct qd_arena *arena, struct qd_error *error);

#endif
