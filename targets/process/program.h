/* SPDX-License-Identifier: Apache-2.0 */
/* A target that is a program of its own, spoken to as worker.proto says; what it answers is hostile. Internal to the
 * targets layer. */
#ifndef QDIFF_PROGRAM_H
#define QDIFF_PROGRAM_H

#include "process/reply.h"
#include "process/worker.h"
#include "qdiff/emulated_cpu.h"

/* The program, and one conversation with it. */
struct qd_program {
    char file[4096];   /* what is executed */
    char script[4096]; /* its first argument, "" if none */
    char words[8192];  /* the command line of worker:… or of an emulator, word after word */
    size_t word_count; /* the first of which is `file` or `script` */
    char python[4096]; /* where the package qdiff_worker lies */
    char config[256], version[64];
    const struct qd_emulated_cpu *cpu; /* that it runs on; NULL: this machine's */
    struct qd_worker *worker;
    struct qd_arena arena;       /* one message */
    struct qd_deadline deadline; /* of the case */
    uint64_t id, handle;         /* the last ones given out */
    bool crashed;                /* the last reply was that the target fell over */
    bool guards; /* it reports its target's death; if it just ends, the connection is lost */
    bool died;
    struct qd_death death;
};

/* Whether the name stands for a program: a path to a .py, worker:<path>, a
 * built-in row with a worker, or any with cpu=. */
bool qd_program_is_named(const struct qd_target_name *name);

/* Starts a record: which program, with which arguments. UNUSABLE: it is not
 * set up (with the command that does), NO_MEMORY. */
enum qd_status qd_program_init(struct qd_program *program, const struct qd_target_name *name,
                               struct qd_worker *worker, struct qd_error *error);
void qd_program_clear(struct qd_program *program);

/* In the forked process: becomes the program `context` (struct qd_program). */
qd_worker_main qd_program_become;

/* The first exchange: the program's description, into the arena, and with `options` the words of quantizer options that
 * it knows (NULL: not wanted). UNUSABLE with its words. When it is dead, program->died and ->death are set. */
enum qd_status qd_program_handshake(struct qd_program *program, double seconds,
                                    struct qd_arena *arena, struct qd_target_info *info,
                                    const char *const **options, struct qd_error *error);

/* prepare, run and release, to be called as those of a plug-in, with a struct qd_program as target. After the program's
 * death they do nothing. */
extern const struct qd_target qd_program_target;

/* --- The conversation, for those who have more to say (quantize.c) --- */

/* Begins a request of the kind in program->arena, which is emptied; then its fields are put. */
size_t qd_program_ask(struct qd_program *program, enum qd_request_kind kind,
                      struct qd_wire_out *out);

/* Sends it. OK: the reply is of the request's kind, and *body holds its fields. Otherwise what the worker answered
 * instead, or REJECTED after a death. `mark` is ask's answer; a reply has at most `limit` bytes. */
enum qd_target_status qd_program_hear(struct qd_program *program, enum qd_request_kind kind,
                                      struct qd_wire_out *out, size_t mark, size_t limit,
                                      struct qd_wire *body, struct qd_target_message *message);

/* The reply made no sense: the program is killed. Returns REJECTED. */
enum qd_target_status qd_program_condemn(struct qd_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts a Tensor; without data if `data` is NULL. */
void qd_program_put_tensor(struct qd_wire_out *out, uint32_t number,
                           const struct qd_target_tensor *tensor, const void *data);

#endif
