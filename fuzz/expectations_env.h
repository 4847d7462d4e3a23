/* SPDX-License-Identifier: Apache-2.0 */
/* The divergences that a fuzzer's target is known to have. */
#ifndef QDIFF_FUZZ_KNOWN_H
#define QDIFF_FUZZ_KNOWN_H

#include "qdiff/expectations.h"

/* Those of the file that QDIFF_EXPECTATIONS names; without the variable, those that come with the built-in target
 * `name`; NULL for "none" and where there are none. They are active for `info`. IO, USAGE. */
enum qd_status qd_expectations_from_environment(const char *name, const struct qd_target_info *info,
                                                struct qd_arena *arena,
                                                struct qd_expectations **known,
                                                struct qd_error *error);

#endif
