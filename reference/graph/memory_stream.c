/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows as it is written. */
#define _GNU_SOURCE /* fopencookie */
#include "qdiff/memory_stream.h"

#include <stdlib.h>
#include <string.h>

static bool grow(struct qd_memory_stream *stream, size_t size)
{
    size_t room = stream->room < 256 ? 256 : stream->room;

    while (room - stream->size <= size)
        room *= 2;
    if (room == stream->room)
        return true;
    char *grown = realloc(stream->text, room);
    if (!grown)
        return false;
    stream->text = grown;
    stream->room = room;
    return true;
}

/* Zero bytes are an error of the stream. */
static ssize_t append(void *context, const char *bytes, size_t size)
{
    struct qd_memory_stream *stream = context;

    if (stream->lost || !grow(stream, size)) {
        stream->lost = true;
        return 0;
    }
    memcpy(stream->text + stream->size, bytes, size);
    stream->size += size;
    stream->text[stream->size] = '\0';
    return (ssize_t)size;
}

bool qd_memory_open(struct qd_memory_stream *stream)
{
    *stream = (struct qd_memory_stream){.out = NULL};
    if (!grow(stream, 0))
        return false;
    stream->text[0] = '\0';
    stream->out = fopencookie(stream, "w", (cookie_io_functions_t){.write = append});
    if (!stream->out) {
        free(stream->text);
        stream->text = NULL;
    }
    return stream->out != NULL;
}

bool qd_memory_close(struct qd_memory_stream *stream)
{
    bool whole = fclose(stream->out) == 0 && !stream->lost;

    stream->out = NULL;
    if (!whole) {
        free(stream->text);
        stream->text = NULL;
    }
    return whole;
}
