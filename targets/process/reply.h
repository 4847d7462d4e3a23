/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a worker's replies (worker.proto), every byte of which is hostile; what Quantized holds is read by
 * quantized.h. Internal to the targets layer. */
#ifndef QDIFF_REPLY_H
#define QDIFF_REPLY_H

#include "process/frame.h"
#include "qdiff/session.h"

/* Kinds of Request and Reply by their field numbers. */
enum qd_request_kind {
    QD_REQUEST_HELLO = 2,
    QD_REQUEST_PREPARE = 3,
    QD_REQUEST_RUN = 4,
    QD_REQUEST_RELEASE = 5,
    QD_REQUEST_QUANTIZE = 6,
    QD_REQUEST_PING = 7
};
enum qd_reply_kind { QD_REPLY_SKIP = 8, QD_REPLY_ERROR = 9 };

/* Which kind, to which request, its fields. */
struct qd_reply {
    uint64_t id;
    uint32_t kind;
    struct qd_wire body;
};

/* Takes a frame's content apart. NULL, or what is wrong with it. */
const char *qd_reply_read(const struct qd_frame *frame, struct qd_reply *reply);

/* Of Skip. NULL, or what is wrong with it: it has no address. Long texts are shortened. */
struct qd_reply_skip {
    char reason[512], url[256];
};
const char *qd_reply_read_skip(struct qd_wire body, struct qd_reply_skip *skip);

/* Kinds of Error. From DIED on the worker ends, too. */
enum qd_reply_error_kind {
    QD_REPLY_REJECTED,
    QD_REPLY_OUT_OF_MEMORY,
    QD_REPLY_UNUSABLE,
    QD_REPLY_CRASHED,
    QD_REPLY_DIED,
    QD_REPLY_DIED_OF_MEMORY,
    QD_REPLY_OUT_OF_BOUNDS,
    QD_REPLY_INPUT_MODIFIED,
    QD_REPLY_ERROR_COUNT
};

/* Of Error. NULL, or what is wrong with it. Long texts are shortened. */
struct qd_reply_error {
    enum qd_reply_error_kind kind;
    int signal; /* 0 to 127 */
    char text[1024], stage[32];
};
const char *qd_reply_read_error(struct qd_wire body, struct qd_reply_error *error);

/* Of Welcome, in the arena. False: malformed, nameless, of too many capabilities, or no memory. */
struct qd_reply_welcome {
    struct qd_target_info info;
    const char *const *options; /* words of quantizer options, NULL at the end */
    bool guards;
};
bool qd_reply_read_welcome(struct qd_wire body, struct qd_arena *arena,
                           struct qd_reply_welcome *welcome);

/* Reads a Tensor but for its name; a rank beyond the ABI's is kept as a number up to 1000, with its first dimensions.
 * The data is borrowed, NULL if none; tensor->size is its size. False: malformed. */
bool qd_reply_read_tensor(struct qd_wire wire, struct qd_target_tensor *tensor,
                          const uint8_t **data);

/* Puts Outputs where they are expected: data into the buffers of `size` bytes, types and shapes as they are said.
 * False: `why`, of `why_size` bytes, says what is wrong. */
bool qd_reply_read_outputs(struct qd_wire body, struct qd_target_tensor *outputs, size_t count,
                           char *why, size_t why_size);

#endif
