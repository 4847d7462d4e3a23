/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of the worker protocol (worker.proto): "QDW1", the length of the content in four bytes, little endian, the
 * content. Internal to the targets layer. */
#ifndef QDIFF_FRAME_H
#define QDIFF_FRAME_H

#include "qdiff/wire.h"

#define QD_FRAME_HEAD ((size_t)8)
#define QD_FRAME_LARGEST ((size_t)1 << 30)

/* Bytes of a whole frame (to send), or of a frame's content (received). Borrowed. */
struct qd_frame {
    uint8_t *bytes;
    size_t size;
};

/* Starts a frame in an empty writer, and ends it. LIMIT above QD_FRAME_LARGEST, NO_MEMORY. */
void qd_frame_begin(struct qd_wire_out *out);
enum qd_status qd_frame_end(const struct qd_wire_out *out, struct qd_frame *frame,
                            struct qd_error *error);

/* The length in a received head. False, with a sentence in `why`, when that is no head or above the limit. */
bool qd_frame_read_head(const uint8_t *head, size_t limit, size_t *size, char *why,
                        size_t why_size);

#endif
