/* SPDX-License-Identifier: Apache-2.0 */
/* Locating: a network's units, one after the other, each judged as a case of its own.
 *
 * A unit's inputs are what the reference computed for the units before it (canonical values); what the reference
 * cannot compute, a target does, the unit alone with the same inputs. A block that the reference cannot take is
 * judged node by node. */
#ifndef QDIFF_REPORTS_LOCATE_H
#define QDIFF_REPORTS_LOCATE_H

#include <stdatomic.h>
#include <stdio.h>

#include "locate/kept_values.h"
#include "result/trial_result.h"
#include "run/gate_targets.h"
#include "run/interrupt.h"

/* QD_UNIT_STATE(NAME, word, meaning) */
#define QD_UNIT_STATE_LIST(QD_UNIT_STATE)                                                \
    QD_UNIT_STATE(JUDGED, "judged",                                                      \
                  "the reference computed it, and the targets' answers were compared")   \
    QD_UNIT_STATE(UNDECLARED, "undeclared", "no target declares its operators")          \
    QD_UNIT_STATE(OPAQUE, "opaque",                                                      \
                  "the reference cannot compute it; a target did, for what comes after") \
    QD_UNIT_STATE(UNKNOWN, "unknown", "nobody could compute it, or what it reads")

#define QD_UNIT_STATE_ENUM(name, word, meaning) QD_UNIT_STATE_##name,
enum qd_unit_state { QD_UNIT_STATE_LIST(QD_UNIT_STATE_ENUM) QD_UNIT_STATE_COUNT };
#undef QD_UNIT_STATE_ENUM

const char *qd_unit_state_word(enum qd_unit_state state);

/* A unit that is done. Borrowed until the listener returns. */
struct qd_located_unit {
    size_t number,
        part; /* of the unit, from 1; of a node of a block that was taken apart, from 1, else 0 */
    const char *id;   /* of the case: "<model>/0037-Conv" */
    const char *ops;  /* "3 DQ, Conv, Relu, Q" */
    const char *name; /* of the value that it gives */
    const struct qd_unit *unit;
    enum qd_unit_state state;
    const char *why;    /* OPAQUE, UNKNOWN: what the reference, or nobody, could do */
    const char *sample; /* JUDGED in part: which part, else "" */
    bool from_target;   /* something that it reads was computed by a target, or from such a value */
    size_t last;        /* of a region: its last unit, else 0 */
    size_t first_target, result_count;
    const struct qd_result *results;      /* JUDGED, UNDECLARED: one for each target */
    const struct qd_evaluated *evaluated; /* JUDGED, UNDECLARED */
};

struct qd_locate_listener {
    enum qd_status (*unit)(void *context, const struct qd_located_unit *unit,
                           struct qd_error *error);
    void *context;
};

enum { QD_LOCATE_MOST_NAMED = 32, QD_LOCATE_MOST_SHAPES = 256, QD_LOCATE_MOST_JOBS = 64 };

/* What was diagnosed so far. */
struct qd_locate_memory {
    size_t named_count, shape_count;
    struct {
        struct qd_diagnosis diagnosis;
        char label[256];
    } named[QD_LOCATE_MOST_NAMED];
    struct {
        uint64_t hash;
        int count;
    } shapes[QD_LOCATE_MOST_SHAPES]; /* sequences of operators, and how often */
};

struct qd_locate_cost {
    double cpu_seconds, target_seconds; /* the second wall time, diagnoses aside */
    long megabytes;
};

/* What the processes of a walk share (helpers.h). */
struct qd_locate_shared {
    atomic_size_t turn; /* the unit that the first process is at: all before it are done */
    struct qd_locate_memory memory; /* of the process whose turn it is */
    struct qd_locate_cost costs[QD_LOCATE_MOST_JOBS];
};

struct qd_locate {
    const struct qd_network *network;
    const struct qd_options *options;
    struct qd_gate_targets *targets;
    struct qd_target_name values_from;
    struct qd_interrupt *interrupt;
    struct qd_locate_listener listener;
    struct qd_arena *arena; /* of the whole walk */
    double work;   /* what evaluating a unit may cost, beyond it is sampled; 0: QD_MAX_WORK */
    size_t budget; /* memory of a unit, 0: 3 GiB */

    size_t unit_count;
    const struct qd_unit *units;
    struct qd_kept_values kept;
    struct qd_session *values; /* opened when a value is wanted of it */
    bool values_failed;        /* it does not open */
    size_t values_used;        /* units that it computed */
    double target_seconds;     /* wall time that the targets spent, diagnoses aside */

    /* Per node: a block or operator of quantization; judged on some target. */
    bool *quantized, *judged;
    bool *right; /* per unit and target: judged whole, and no divergence */

    struct qd_arena piece;  /* of one unit, or one node of it */
    struct qd_arena joined; /* the nodes of a region */
    const char *stem;       /* of the model's path, as ids have it */
    struct qd_locate_memory *memory;

    uint64_t job, jobs;              /* of so many processes this one, from 0; jobs 0 or 1: alone */
    struct qd_locate_shared *shared; /* NULL: alone */
    struct qd_team *team;            /* of the first process: the others */
    int answers;                     /* of another one: the pipe to the first */
};

/* Cuts the network into units and binds its inputs; what is drawn is said on `out`. The interrupt, targets and
 * arena outlive it. USAGE, NO_MEMORY; errors of the inputs' files. */
enum qd_status qd_locate_begin(struct qd_locate *locate, FILE *out, struct qd_error *error);

/* Runs all units; ends early, with OK, when interrupted. *done: units that are done. UNUSABLE: a target went away
 * for good. Errors of the listener. */
enum qd_status qd_locate_run(struct qd_locate *locate, size_t *done, struct qd_error *error);

/* Whether the unit was judged whole and is right on the target. Both count from 0. */
bool qd_locate_is_right(const struct qd_locate *locate, size_t unit, size_t target);

/* TOO_LARGE: the reference cannot say, or the target does not declare it. */
enum qd_region_answer { QD_REGION_RIGHT, QD_REGION_DIFFERS, QD_REGION_TOO_LARGE };

/* Runs `count` units together, from `first`, on one target, after a walk that kept all values (--end-to-end). With
 * a listener, which is told what differs, it is diagnosed. Errors as of run. */
enum qd_status qd_locate_region(struct qd_locate *locate, size_t first, size_t count, size_t target,
                                const struct qd_locate_listener *listener,
                                enum qd_region_answer *answer, struct qd_error *error);

void qd_locate_end(struct qd_locate *locate);

/* The id of the target that computes what the reference cannot; "" if none was asked. */
const char *qd_locate_values_id(const struct qd_locate *locate);

/* "3 DQ, Conv, Relu, Q". NULL when out of memory. */
const char *qd_unit_describe(const struct qd_network *network, const struct qd_unit *unit,
                             struct qd_arena *arena);

#endif
