/* SPDX-License-Identifier: Apache-2.0 */
/* The steps before a case in the block of a transfer (transfer.h). Internal to transfer.c. */
#ifndef QDIFF_TRANSFER_STEPS_H
#define QDIFF_TRANSFER_STEPS_H

#include "process/transfer.h"

#define QD_TRANSFER_ALIGNMENT ((size_t)64)

/* Gives out `size` bytes of the block; sizes are below 2^33 each and few, so the sum does not overflow. */
struct qd_transfer_buffer qd_transfer_take(struct qd_transfer *transfer, size_t size);

/* Fills in a tensor of the block; NULL: its type and shape are unknown. */
void qd_transfer_describe(struct qd_target_tensor *to, const struct qd_tensor *tensor,
                          const char *name, void *data, size_t size);

/* This side: the layout, the request. NO_MEMORY. */
enum qd_status qd_transfer_plan_steps(struct qd_transfer *transfer, struct qd_arena *arena,
                                      struct qd_error *error);
void qd_transfer_write_steps(const struct qd_transfer *transfer, void *block);

/* The worker's side. Loads the case's own model. */
enum qd_target_status qd_transfer_load(struct qd_transfer_header *header,
                                       const struct qd_target *api, void *target, bool *loaded,
                                       void **prepared);
/* Does the steps; what they load stays, where it is asked to, until release. */
enum qd_target_status qd_transfer_take_steps(struct qd_transfer_header *header,
                                             const struct qd_target *api, void *target,
                                             bool *loaded, void **prepared);
void qd_transfer_release_steps(struct qd_transfer_header *header, const struct qd_target *api,
                               void *target);

#endif
