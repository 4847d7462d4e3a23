/* SPDX-License-Identifier: Apache-2.0 */
/* What a report shows besides results files: the kill matrix of `qdiff self-test` and the nights of
 * scripts/nightly. Both are read as those wrote them; nothing is counted anew. */
#ifndef QDIFF_REPORTS_HISTORY_H
#define QDIFF_REPORTS_HISTORY_H

#include <jansson.h>

#include "qdiff/status.h"

/* [[quirk, cases that notice it, cases, the first one, [[family, cases], ...]], ...] of the file that
 * `qdiff self-test --json --output` wrote; [] for a path that is NULL. Given to the caller in *value, to
 * json_decref. IO; MALFORMED names the line. */
enum qd_status qd_kills_read(const char *path, json_t **value, struct qd_error *error);

/* [{id, start, early, targets, found, new, gone}, ...] of every <directory>/<night>/summary.json, by name;
 * [] for a directory that is NULL. `targets` are [name, executions, share that was compared], `found`
 * [signature, first seen, [targets]]. A night that ended before its summary is left out. Likewise; USAGE:
 * there is none. */
enum qd_status qd_nights_read(const char *directory, json_t **value, struct qd_error *error);

#endif
