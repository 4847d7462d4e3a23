/* SPDX-License-Identifier: Apache-2.0 */
/* The findings store: one case per signature, with where and when it was seen. What could not be reduced in time is no
 * finding yet: it waits in the store's pool, a store of its own in the directory
 * "raw" below it, under the signature of the whole case.
 *
 * A directory with one file "<signature>.finding" each: lines of text, then the case as in a .qdcase file. A file is
 * only ever replaced as a whole (write, fsync, rename, fsync of the directory), under a lock (flock of ".lock") that
 * the system takes back from a process that dies: kill -9 at any instant loses nothing that qd_store_add() has returned
 * from, and two processes may write at once. Readers need no lock. */
#ifndef QDIFF_STORE_H
#define QDIFF_STORE_H

#include "qdiff/case.h"

struct qd_store;

#define QD_STORE_MAX_SIGHTINGS 32

/* Where it was seen. Times are seconds since 1970, UTC. */
struct qd_sighting {
    const char *target; /* "ort@1.31.1[opt=all]" */
    int64_t first, last;
    uint64_t count;
};

struct qd_record {
    const char *signature;
    const char *cpu, *flags; /* of the machine that saw it last; "" if not known */
    const char *version;     /* of qdiff, likewise */
    bool reduced;            /* false: as it came, in the pool or beyond the reducer */
    int64_t first, last;     /* over all sightings, also those no longer listed */
    uint64_t count;
    size_t sighting_count; /* the latest ones, by target in the order of first sight */
    struct qd_sighting sightings[QD_STORE_MAX_SIGHTINGS];
    const uint8_t *bytes; /* the case, encoded (qd_case_decode) */
    size_t size;
};

/* ${QDIFF_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/qdiff}/findings. USAGE: none of the three is set. */
enum qd_status qd_store_directory(struct qd_arena *arena, const char **path,
                                  struct qd_error *error);

/* Opens a store; `directory` and what is above it are made if need be. IO names the path and the system's reason. */
enum qd_status qd_store_open(const char *directory, struct qd_store **store,
                             struct qd_error *error);
void qd_store_close(struct qd_store *store);

/* Opens the pool of the store in `directory`. Likewise. */
enum qd_status qd_store_open_pool(const char *directory, struct qd_store **pool,
                                  struct qd_error *error);

/* One sighting, now: the case as it is encoded, which is put into the arena; not reduced, of an unknown machine;
 * signature and target are borrowed. NO_MEMORY, LIMIT. */
enum qd_status qd_record_make(const struct qd_case *kase, const char *signature, const char *target,
                              struct qd_arena *arena, struct qd_record *record,
                              struct qd_error *error);

/* A finding as a file's bytes, into the arena, and back: what is in `bytes` is copied. Blanks stand for control
 * characters. NO_MEMORY; MALFORMED: torn or foreign. */
enum qd_status qd_record_encode(const struct qd_record *record, struct qd_arena *arena,
                                uint8_t **bytes, size_t *size, struct qd_error *error);
enum qd_status qd_record_decode(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                                struct qd_record *record, struct qd_error *error);

/* Adds what was seen of one finding: counts and sightings are joined with those there, cpu, flags and version replaced.
 * The case is replaced by a reduced one if it is not, and by a smaller one if both are or neither is. On disk when it
 * returns: count in memory what comes more than a few times a second. NO_SPACE, IO (read-only ...): the store is as it
 * was. A file that is torn or foreign is MALFORMED and left alone. */
enum qd_status qd_store_add(struct qd_store *store, const struct qd_record *seen,
                            struct qd_error *error);

/* Reads one finding into the arena. USAGE: there is none of that signature; MALFORMED, IO. */
enum qd_status qd_store_get(struct qd_store *store, const char *signature, struct qd_arena *arena,
                            struct qd_record *record, struct qd_error *error);

/* Visits all findings by signature. `record` is NULL for a file that cannot be read, and `problem` says why. A visitor
 * that returns false stops. */
typedef bool qd_store_visitor(void *context, const struct qd_record *record,
                              const struct qd_error *problem);
enum qd_status qd_store_visit(struct qd_store *store, qd_store_visitor *visit, void *context,
                              struct qd_error *error);

/* Removes one finding. USAGE: there is none. */
enum qd_status qd_store_forget(struct qd_store *store, const char *signature,
                               struct qd_error *error);

#endif
