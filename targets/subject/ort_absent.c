/* SPDX-License-Identifier: Apache-2.0 */
/* The target ort in a build without it (QD_TARGET_ORT=OFF): its name is known, and said to be missing. */
#include "ort/ort.h"

const char qd_ort_setup[] = "a build with -DQD_TARGET_ORT=ON";

const char *const qd_ort_configs[] = {NULL};

const struct qd_target qd_ort_target = {.abi =
                                            QD_TARGET_ABI}; /* its name is refused, never opened */

enum qd_status qd_ort_check(const char *config, struct qd_error *error)
{
    (void)config;
    return qd_fail(error, QD_USAGE, "this build of qdiff has no target ort; what has it is %s",
                   qd_ort_setup);
}

enum qd_status qd_ort_versions(struct qd_arena *arena, const char *const **versions,
                               struct qd_error *error)
{
    static const char *const none[] = {NULL};
    (void)arena, (void)error;
    *versions = none;
    return QD_OK;
}

void qd_ort_preload(const char *version)
{
    (void)version;
}
