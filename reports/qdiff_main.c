/* SPDX-License-Identifier: Apache-2.0 */
/* The program qdiff. */
#include <signal.h>
#include <stdio.h>

#include "command/command.h"

int main(int argc, char **argv)
{
    signal(SIGCHLD,
           SIG_DFL); /* who starts us may ignore it, and then no child could be asked how it died */
    return qd_command_main(argc, argv, stdout, stderr);
}
