/* SPDX-License-Identifier: Apache-2.0 */
/* The first line of a results file: what was run, on what, where. Fields: reports/README.md, "Results files". */
#ifndef QDIFF_REPORTS_HEADER_H
#define QDIFF_REPORTS_HEADER_H

#include <stdio.h>

#include "run/gate_targets.h"
#include "select/selection.h"

void qd_header_write(FILE *out, const struct qd_selection *selection,
                     const struct qd_gate_targets *targets, struct qd_arena *arena);

/* What merge needs of a header. */
struct qd_header {
    bool whole;            /* nothing left out but what other shards hold */
    struct qd_shard shard; /* count 0: not sharded */
    const char *likeness;  /* equal for runs that differ in nothing but their shard */
};

/* Decodes a header line into the arena; MALFORMED names the field. */
enum qd_status qd_header_decode(const char *line, size_t length, struct qd_arena *arena,
                                struct qd_header *header, struct qd_error *error);

/* The header of what the shards of a run were merged to: the given one without its shard. NULL when out of memory. */
const char *qd_header_unsharded(const char *line, struct qd_arena *arena);

#endif
