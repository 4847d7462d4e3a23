/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for tests, built for an ABI that does not exist. */
#include "qdiff/target.h"

const struct qd_target *qd_target_entry(void)
{
    static const struct qd_target table = {.abi = 4711};
    return &table;
}
