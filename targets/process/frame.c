/* SPDX-License-Identifier: Apache-2.0 */
#include "process/frame.h"

#include <stdio.h>
#include <string.h>

static const char magic[4] = {'Q', 'D', 'W', '1'};

void qd_frame_begin(struct qd_wire_out *out)
{
    uint8_t head[QD_FRAME_HEAD] = {0};
    memcpy(head, magic, sizeof magic);
    qd_wire_put_raw(out, head, sizeof head);
}

enum qd_status qd_frame_end(const struct qd_wire_out *out, struct qd_frame *frame,
                            struct qd_error *error)
{
    struct qd_frame made;
    enum qd_status status = qd_wire_finish(out, &made.bytes, &made.size, error);
    if (status != QD_OK)
        return status;
    size_t content = made.size - QD_FRAME_HEAD;
    if (content > QD_FRAME_LARGEST)
        return qd_fail(error, QD_LIMIT, "a message of %zu bytes to a worker, at most %zu are sent",
                       content, QD_FRAME_LARGEST);
    for (unsigned i = 0; i < 4; i++)
        made.bytes[4 + i] = (uint8_t)(content >> (8 * i));
    *frame = made;
    return QD_OK;
}

bool qd_frame_read_head(const uint8_t *head, size_t limit, size_t *size, char *why, size_t why_size)
{
    size_t length = 0;
    for (unsigned i = 0; i < 4; i++)
        length |= (size_t)head[4 + i] << (8 * i);
    if (memcmp(head, magic, sizeof magic) != 0) {
        snprintf(why, why_size, "its standard output holds \"%.8s\" where a reply should begin",
                 (const char *)head);
        return false;
    }
    if (length > limit) {
        snprintf(why, why_size, "a reply of %zu bytes, at most %zu are taken here", length, limit);
        return false;
    }
    *size = length;
    return true;
}
