/* SPDX-License-Identifier: Apache-2.0 */
/* Which expectation rows a harness asks. */
#include "expectations_env.h"

#include <stdlib.h>
#include <string.h>

enum qd_status qd_expectations_from_environment(const char *name, const struct qd_target_info *info,
                                                struct qd_arena *arena,
                                                struct qd_expectations **known,
                                                struct qd_error *error)
{
    const char *path = getenv("QDIFF_EXPECTATIONS"); /* NOLINT(concurrency-mt-unsafe) */
    enum qd_status status = QD_OK;
    *known = NULL;
    if (!path)
        status = qd_expectations_shipped(name, arena, &path, error);
    if (status != QD_OK || !path || strcmp(path, "none") == 0)
        return status;
    return qd_expectations_open(path, info, arena, known, error);
}
