/* SPDX-License-Identifier: Apache-2.0 */
/* The exit code of a status, and the worse of two. */
#include "command/exit_code.h"

enum qd_exit qd_exit_worse(enum qd_exit a, enum qd_exit b)
{
    return a > b ? a : b;
}

enum qd_exit qd_exit_of_status(enum qd_status status)
{
    switch (status) {
    case QD_OK: return QD_EXIT_OK;
    case QD_UNUSABLE: return QD_EXIT_UNUSABLE;
    case QD_NO_MEMORY:
    case QD_NO_SPACE:
    case QD_INTERNAL: return QD_EXIT_OWN_FAILURE;
    default: return QD_EXIT_USAGE;
    }
}
