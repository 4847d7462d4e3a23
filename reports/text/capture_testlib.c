/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that write to memory, for tests of writers. */
#include "text/capture_testlib.h"

#include <stdlib.h>

void qd_capture_begin(struct qd_capture *capture)
{
    *capture = (struct qd_capture){0};
    capture->out = open_memstream(&capture->text, &capture->size);
    if (!capture->out)
        abort();
}

const char *qd_capture_text(struct qd_capture *capture)
{
    fflush(capture->out);
    return capture->text;
}

void qd_capture_end(struct qd_capture *capture)
{
    fclose(capture->out);
    free(capture->text);
}
