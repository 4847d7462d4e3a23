/* SPDX-License-Identifier: Apache-2.0 */
/* Red zones and poison around the output buffers of one run, as transfer.c
 * has them, where there is no case but a request. */
#include "process/fence.h"

#include <stdio.h>
#include <string.h>

#define ALIGNMENT ((size_t)64)
#define ZONE ((size_t)128) /* as in transfer.h */

/* The same as in transfer.c: a byte that keeps the poison of both runs was never written. */
static unsigned char poison(const struct qd_fenced_run *run)
{
    return run->odd ? 0xA5 : 0x5A;
}

static size_t rounded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* A block that begins at a multiple of ALIGNMENT. */
static unsigned char *aligned(struct qd_arena *arena, size_t size)
{
    unsigned char *block = qd_arena_alloc(arena, size + ALIGNMENT);
    return block ? block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT : NULL;
}

static bool copy_inputs(struct qd_fenced_run *run, struct qd_arena *arena)
{
    for (size_t i = 0; i < run->input_count; i++) {
        run->inputs[i] = run->given[i];
        if (!(run->copies[i] = aligned(arena, run->given[i].size)))
            return false;
        if (run->given[i].size > 0)
            memcpy(run->copies[i], run->data[i], run->given[i].size);
        run->inputs[i].data = run->copies[i];
    }
    return true;
}

static bool lay_out_outputs(struct qd_fenced_run *run, struct qd_arena *arena)
{
    run->size = ZONE;
    for (size_t i = 0; i < run->output_count; i++) {
        run->starts[i] = run->size;
        run->size += rounded(run->wanted[i].size) + ZONE;
    }
    if (!(run->block = aligned(arena, run->size)))
        return false;
    memset(run->block, poison(run), run->size);
    for (size_t i = 0; i < run->output_count; i++) {
        run->outputs[i] = run->wanted[i];
        run->outputs[i].data = run->block + run->starts[i];
    }
    return true;
}

bool qd_fence_run(struct qd_fenced_run *run, struct qd_arena *arena)
{
    run->inputs = qd_arena_array(arena, run->input_count, sizeof *run->inputs);
    run->outputs = qd_arena_array(arena, run->output_count, sizeof *run->outputs);
    run->copies = qd_arena_array(arena, run->input_count, sizeof *run->copies);
    run->starts = qd_arena_array(arena, run->output_count, sizeof *run->starts);
    return run->inputs && run->outputs && run->copies && run->starts && copy_inputs(run, arena) &&
           lay_out_outputs(run, arena);
}

bool qd_fence_holds(const struct qd_fenced_run *run, char *why, size_t size)
{
    size_t from = 0;
    for (size_t i = 0; i <= run->output_count; i++) {
        bool last = i == run->output_count;
        size_t to = last ? run->size : run->starts[i];
        for (size_t at = from; at < to; at++) {
            if (run->block[at] == poison(run))
                continue;
            snprintf(why, size,
                     "a byte outside the output buffers was written, %zu bytes %s output %zu",
                     i > 0 ? at - from : to - at, i > 0 ? "after the end of" : "before",
                     i > 0 ? i - 1 : 0);
            return false;
        }
        if (!last)
            from = to + run->wanted[i].size;
    }
    return true;
}

bool qd_fence_inputs_hold(const struct qd_fenced_run *run, char *why, size_t size)
{
    for (size_t i = 0; i < run->input_count; i++) {
        const struct qd_target_tensor *input = &run->given[i];
        if (input->size == 0 || memcmp(run->copies[i], run->data[i], input->size) == 0)
            continue;
        snprintf(why, size, "input %zu '%.200s' was changed", i, input->name);
        return false;
    }
    return true;
}
