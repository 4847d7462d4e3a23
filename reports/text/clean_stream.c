/* SPDX-License-Identifier: Apache-2.0 */
/* A stream between the program and a terminal. */
#define _GNU_SOURCE /* fopencookie */
#include "text/clean_stream.h"

#include <string.h>
#include <unistd.h>

#include "qdiff/case.h"
#include "qdiff/utf8.h"

/* What goes to the descriptor next. */
struct chunk {
    int fd;
    size_t used;
    bool lost;
    char text[1 << 12];
};

static void write_chunk(struct chunk *chunk)
{
    if (!chunk->lost)
        chunk->lost = !qd_file_write_fd(chunk->fd, chunk->text, chunk->used);
    chunk->used = 0;
}

static void put(struct chunk *chunk, const char *text, size_t size)
{
    if (size > sizeof chunk->text - chunk->used)
        write_chunk(chunk);
    memcpy(chunk->text + chunk->used, text, size);
    chunk->used += size;
}

/* Whether another byte may make a character of those held. */
static bool may_go_on(const struct qd_clean_stream *stream)
{
    unsigned char first = (unsigned char)stream->held[0];
    unsigned char last = (unsigned char)stream->held[stream->count - 1];
    return stream->count < QD_UTF8_MOST && first >= 0xC2 && (stream->count == 1 || last >> 6 == 2);
}

/* Puts the characters that are held, as far as that is known; all of them if `all`. */
static void settle(struct qd_clean_stream *stream, bool all, struct chunk *chunk)
{
    while (stream->count > 0) {
        unsigned length = qd_utf8_length(stream->held, stream->count);
        if (length == 0 && !all && may_go_on(stream))
            return;
        bool shown = (length == 1 && strchr("\n\t\r", stream->held[0]) && stream->held[0]) ||
                     (length > 0 && qd_utf8_is_printable(stream->held, length));
        put(chunk, shown ? stream->held : "?", shown ? length : 1);
        length = length == 0 ? 1 : length;
        stream->count -= length;
        memmove(stream->held, stream->held + length, stream->count);
    }
}

/* Zero bytes are an error of the stream. */
static ssize_t take(void *context, const char *bytes, size_t size)
{
    struct qd_clean_stream *stream = context;
    struct chunk chunk = {.fd = stream->fd};
    for (size_t i = 0; i < size; i++) {
        stream->held[stream->count++] = bytes[i];
        settle(stream, false, &chunk);
    }
    write_chunk(&chunk);
    return chunk.lost ? 0 : (ssize_t)size;
}

bool qd_clean_stream_open(struct qd_clean_stream *stream, int fd, bool unbuffered)
{
    *stream = (struct qd_clean_stream){.fd = fd, .terminal = isatty(fd) == 1};
    stream->out = fopencookie(stream, "w", (cookie_io_functions_t){.write = take});
    if (stream->out && (unbuffered || stream->terminal))
        setvbuf(stream->out, NULL, unbuffered ? _IONBF : _IOLBF, 0);
    return stream->out != NULL;
}

bool qd_clean_stream_close(struct qd_clean_stream *stream)
{
    struct chunk chunk = {.fd = stream->fd};
    bool whole = fclose(stream->out) == 0;
    settle(stream, true, &chunk);
    write_chunk(&chunk);
    return whole && !chunk.lost;
}
