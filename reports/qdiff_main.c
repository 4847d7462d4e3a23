/* SPDX-License-Identifier: Apache-2.0 */
/* The program qdiff. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/command.h"
#include "command/exit_code.h"
#include "text/clean_stream.h"

/* For jansson, whose strings lose a byte where memory ends (2.14). */
static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory) {
        fputs("qdiff: no memory to read JSON\n", stderr);
        exit(QD_EXIT_OWN_FAILURE);
    }
    return memory;
}

int main(int argc, char **argv)
{
    struct qd_clean_stream out, err;
    signal(SIGCHLD,
           SIG_DFL); /* who starts us may ignore it, and then no child could be asked how it died */
    json_set_alloc_funcs(allocate, free);
    if (!qd_clean_stream_open(&out, STDOUT_FILENO, false) ||
        !qd_clean_stream_open(&err, STDERR_FILENO, true)) {
        fputs("qdiff: no memory to begin\n", stderr);
        return QD_EXIT_OWN_FAILURE;
    }
    const struct qd_console console = {out.out, err.out, out.terminal, err.terminal};
    enum qd_exit code = qd_command_main(argc, argv, &console);
    if (!qd_clean_stream_close(&out)) {
        if (code != QD_EXIT_OWN_FAILURE) /* which has its words already */
            fputs("qdiff: cannot write to standard output\n", err.out);
        code = qd_exit_worse(code, QD_EXIT_OWN_FAILURE);
    }
    qd_clean_stream_close(&err);
    return code;
}
