/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library that is no plug-in. */
#include "qdiff/target.h"

int qd_not_the_entry(void);

int qd_not_the_entry(void)
{
    return QD_TARGET_ABI;
}
