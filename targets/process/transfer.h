/* SPDX-License-Identifier: Apache-2.0 */
/* One case laid out in one block of memory, that a target works on: in this process, or shared with a worker.
 *
 *   header | tensor tables | names | model | inputs of run 0, of run 1 | outputs of run 0, of run 1 | steps
 *
 * Output buffers lie between red zones; buffers and zones of the two runs hold different poison beforehand. A worker is
 * forked after the block is mapped, so pointers in the block mean the same on both sides. What the worker answers is
 * hostile: this side keeps its own layout and checks every answer against it. Internal to the targets layer. */
#ifndef QDIFF_TRANSFER_H
#define QDIFF_TRANSFER_H

#include "qdiff/session.h"

#define QD_TRANSFER_RUNS 2
#define QD_TRANSFER_ZONE \
    ((size_t)128) /* least bytes of red zone before and after each output buffer */

/* A step before the case, as the worker takes it. */
struct qd_transfer_step {
    const void *model; /* NULL: the case's own */
    size_t model_size;
    struct qd_target_tensor *inputs;
    const struct qd_target_tensor *wanted;
    struct qd_target_tensor *outputs; /* as wanted before each run; nobody looks at them */
    size_t input_count, output_count;
    unsigned runs;
    bool keep;
    void *prepared; /* the worker's */
};

/* Start of the block. The first part is the request, the second the answer. */
struct qd_transfer_header {
    const void *model;
    size_t model_size;
    struct qd_target_tensor
        *inputs[QD_TRANSFER_RUNS]; /* a copy each: one run cannot spoil the other's */
    struct qd_target_tensor *outputs[QD_TRANSFER_RUNS];
    size_t input_count, output_count, runs;
    struct qd_transfer_step *steps;
    size_t step_count;

    uint32_t stage, status, step; /* step: the one that is taken, from 1; 0: the case itself */
    double seconds;
    struct qd_target_message message;
};

struct qd_transfer_buffer {
    size_t offset, size; /* in the block */
};

/* This side's knowledge of the block. */
struct qd_transfer {
    const struct qd_case *kase;
    const struct qd_tensor *shapes;
    unsigned runs;
    struct qd_transfer_buffer model, *inputs[QD_TRANSFER_RUNS], *outputs[QD_TRANSFER_RUNS];
    size_t poisoned[QD_TRANSFER_RUNS +
                    1]; /* run r's buffers and zones lie in [poisoned[r], poisoned[r + 1]) */
    bool shares;        /* inputs of the last run are one buffer */
    struct qd_transfer_steps *steps; /* NULL: none */
    size_t total;                    /* bytes of the block */
};

/* Plans the layout; `shapes` as for qd_session_run. The reference is asked what the steps' outputs are; what it does
 * not take has none. LIMIT when the block would be larger than `limit` bytes. */
enum qd_status qd_transfer_plan(struct qd_transfer *transfer, const struct qd_case *kase,
                                const struct qd_tensor *shapes, size_t limit,
                                struct qd_arena *arena, struct qd_error *error);

/* Writes the request into a block of at least transfer->total bytes. */
void qd_transfer_write(const struct qd_transfer *transfer, void *block);

/* Calls the target: the steps, then prepare, run as often as asked, release. Runs on the worker's side. A step's model
 * that is refused is passed over; the case's own ends the case with that answer. */
void qd_transfer_execute(void *block, const struct qd_target *api, void *target);

/* Reads and checks the answer. UNUSABLE when the target says it does not work at all. */
enum qd_status qd_transfer_judge(const struct qd_transfer *transfer, const void *block,
                                 struct qd_arena *arena, struct qd_run *run,
                                 struct qd_error *error);

/* What the target said that its outputs are, of a run without shapes: types and shapes, no data. UNSUPPORTED where
 * it did not say. */
enum qd_status qd_transfer_answered(const struct qd_transfer *transfer, const void *block,
                                    struct qd_arena *arena, const struct qd_tensor **shapes,
                                    struct qd_error *error);

#endif
