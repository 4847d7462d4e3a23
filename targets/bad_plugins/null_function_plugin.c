/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for tests whose table has no functions. */
#include "qdiff/target.h"

const struct qd_target *qd_target_entry(void)
{
    static const struct qd_target table = {.abi = QD_TARGET_ABI};
    return &table;
}
