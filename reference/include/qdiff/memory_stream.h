/* SPDX-License-Identifier: Apache-2.0 */
/* A stream into memory that loses nothing unnoticed. That of open_memstream() ends in the middle when memory does, and
 * its fclose() still succeeds (glibc 2.36). */
#ifndef QDIFF_MEMORY_STREAM_H
#define QDIFF_MEMORY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct qd_memory_stream {
    FILE *out;
    char *text; /* what was flushed so far, then a NUL */
    size_t size, room;
    bool lost;
};

/* Opens one to write to; the structure stays where it is until it is closed. False: no memory. */
bool qd_memory_open(struct qd_memory_stream *stream);

/* Closes it. True: text, which the caller frees, is all that was written. False: something was lost, text is NULL. */
bool qd_memory_close(struct qd_memory_stream *stream);

#endif
