/* SPDX-License-Identifier: Apache-2.0 */
/* Standard output and standard error, which show names and messages from outside: whatever is written, no terminal
 * obeys it. */
#ifndef QDIFF_REPORTS_CLEAN_STREAM_H
#define QDIFF_REPORTS_CLEAN_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct qd_clean_stream {
    FILE *out;     /* to write to */
    bool terminal; /* what is behind it is one */
    int fd;        /* borrowed */
    size_t count;  /* bytes of a character that is not whole yet */
    char held[4];
};

/* Opens a stream that writes to `fd`. What is no UTF-8, a control character other than newline, tab and carriage
 * return, or turns the direction of text (qdiff/utf8.h) becomes '?'. On a terminal each line is written at once, and if
 * `unbuffered` each call. The record may not move: the stream points to it. False when out of memory. */
bool qd_clean_stream_open(struct qd_clean_stream *stream, int fd, bool unbuffered);

/* Writes what is left. False if not everything could be written. */
bool qd_clean_stream_close(struct qd_clean_stream *stream);

#endif
