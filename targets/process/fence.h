/* SPDX-License-Identifier: Apache-2.0 */
/* Output buffers between red zones, and inputs that may not change, for one run on the target's side. Internal to the
 * targets layer. */
#ifndef QDIFF_FENCE_H
#define QDIFF_FENCE_H

#include <stdbool.h>

#include "qdiff/arena.h"
#include "qdiff/target.h"

/* One run: private copies of the inputs, outputs in one block, which is poisoned. */
struct qd_fenced_run {
    size_t input_count, output_count;
    struct qd_target_tensor *inputs, *outputs;
    const struct qd_target_tensor *given, *wanted; /* as they came: borrowed */
    const uint8_t *const *data;                    /* of the inputs: borrowed */
    unsigned char *block;
    unsigned char **copies; /* of the inputs: the target may spoil the tables that it gets */
    size_t *starts;         /* of each output in the block */
    size_t size;
    bool odd;
};

/* Lays out a run of which given, wanted, data, counts and `odd`, which chooses the poison, are set; sizes of `wanted`
 * are bytes to reserve. False when out of memory. */
bool qd_fence_run(struct qd_fenced_run *run, struct qd_arena *arena);

/* Whether the bytes around the outputs are as they were; if not, a sentence in `why`. */
bool qd_fence_holds(const struct qd_fenced_run *run, char *why, size_t size);

/* Whether the inputs are as they came; if not, a sentence in `why`. */
bool qd_fence_inputs_hold(const struct qd_fenced_run *run, char *why, size_t size);

#endif
