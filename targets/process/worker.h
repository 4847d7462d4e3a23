/* SPDX-License-Identifier: Apache-2.0 */
/* A forked process that does one thing after another on a shared block, within limits. Its death is an answer.
 * Internal to the targets layer.
 *
 * The worker runs in a session of its own (Ctrl-C in the terminal does not reach it), dies with its parent, with all
 * that it started (warden.h), writes no file larger than its memory limit, reads nothing, has standard output at the
 * null device and standard error in a pipe of which the last bytes are kept, and keeps no other descriptor open. */
#ifndef QDIFF_WORKER_H
#define QDIFF_WORKER_H

#include <sys/types.h>

#include "process/affinity.h"
#include "process/frame.h"
#include "qdiff/session.h"
#include "qdiff/warden.h"

/* Runs in the worker with the shared block: calls qd_worker_wait() and qd_worker_answer() on the channel; when it
 * returns the worker exits. */
typedef void qd_worker_main(void *context, void *block, int channel);

struct qd_worker {
    pid_t pid; /* 0: none runs */
    struct qd_warden warden;
    bool parent_stopped; /* by the target */
    bool interrupted;    /* the last wait */
    int channel, errors;
    void *block; /* shared, zeroed, block_size bytes; it outlives workers */
    size_t block_size;
    uint64_t memory_limit, start_bytes; /* of address space */
    uint64_t answers;                   /* since the start */
    struct qd_affinity affinity;
    double started;
    size_t head_size, tail_size;
    char head[256], tail[256]; /* the first and the last of standard error */
    bool gap;                  /* there was more between them */
    char words[256 + 256 + 16];
};

/* How a worker ended. */
struct qd_death {
    /* CRASH, HANG or OOM; OUT_OF_BOUNDS and INPUT_MODIFIED, too, from a worker that guards its target. */
    enum qd_outcome outcome;
    int signal;
    bool condemned;   /* by us: it broke the protocol */
    bool lost;        /* it is the connection that ended */
    bool unwatched;   /* it is the warden that was killed */
    bool interrupted; /* nobody waits for the answer any more: nothing is known of the target */
    char text[768];
};

/* A worker record with a mapped block and no process. NO_MEMORY. */
enum qd_status qd_worker_init(struct qd_worker *worker, size_t block_size, uint64_t memory_limit,
                              struct qd_error *error);

/* Forks. At most 50 starts a second: a faster one waits. IO. */
enum qd_status qd_worker_start(struct qd_worker *worker, qd_worker_main *entry, void *context,
                               struct qd_error *error);

/* Waits for an answer, at most `seconds`, after sending the command (0: sends nothing). False: the worker is dead and
 * *death says how. A pending signal of Ctrl-C that this process blocks ends the wait: *death is `interrupted`. */
bool qd_worker_call(struct qd_worker *worker, char command, double seconds, struct qd_death *death);

/* A time limit: `seconds` long, over at `end` by the monotonic clock (0: it begins at the first look at the clock). */
struct qd_deadline {
    double seconds, end;
    bool timed_out;
};
struct qd_deadline qd_deadline_begin(double seconds);

/* Sends a frame and waits for one until the deadline ends. The answer's content goes into the arena; more than
 * `limit` bytes, or anything that is no frame, and the worker is killed. False: it is dead and *death says how. For a
 * worker that became another program. */
bool qd_worker_exchange(struct qd_worker *worker, const struct qd_frame *request,
                        struct qd_deadline *deadline, size_t limit, struct qd_arena *arena,
                        struct qd_frame *answer, struct qd_death *death);

/* Kills a worker whose answers make no sense. */
void qd_worker_condemn(struct qd_worker *worker, const char *why, struct qd_death *death);

/* What it has written to standard error since the last call or exchange began. */
const char *qd_worker_words(struct qd_worker *worker);

/* Whether it is not the target's doing: it was killed by somebody else, a kernel that is short of memory or a user, or
 * the connection was lost. */
bool qd_death_is_foreign(const struct qd_death *death);

/* Whether the worker has taken more than half of its memory limit, so that it had better be replaced. */
bool qd_worker_over_memory(const struct qd_worker *worker);

/* Asks the process to end, waits a little, kills it. No process is no error. */
void qd_worker_stop(struct qd_worker *worker);

/* Stops it and unmaps the block. */
void qd_worker_clear(struct qd_worker *worker);

/* The worker's side: the next command, 0 when the parent is done with it, and its ticket; and the answer to that. What
 * the target writes to the channel is no answer: it has not the ticket. The
 * first answer, to no command, has QD_FIRST_TICKET. */
#define QD_FIRST_TICKET UINT64_C(0x51444646)
char qd_worker_wait(int channel, uint64_t *ticket);
void qd_worker_answer(int channel, uint64_t ticket);

#endif
