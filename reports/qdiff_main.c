/* SPDX-License-Identifier: Apache-2.0 */
/* The program qdiff. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/command.h"
#include "command/exit_code.h"

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
    signal(SIGCHLD,
           SIG_DFL); /* who starts us may ignore it, and then no child could be asked how it died */
    json_set_alloc_funcs(allocate, free);
    return qd_command_main(argc, argv, stdout, stderr);
}
