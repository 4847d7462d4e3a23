/* SPDX-License-Identifier: Apache-2.0 */
/* Probing a target against the promises of target.h, each in a worker process of its own. */
#ifndef QDIFF_CHECK_TARGET_H
#define QDIFF_CHECK_TARGET_H

#include "qdiff/session.h"

enum qd_check_result { QD_CHECK_PASS, QD_CHECK_FAIL, QD_CHECK_SKIP };

/* Called for each check in list order. `name` is the promise, stable; `text` "" or what was seen instead, and for SKIP
 * why. Both live only during the call. */
typedef void qd_check_visitor(void *context, const char *name, enum qd_check_result result,
                              const char *text);

/* How many checks there are: each is visited once. */
size_t qd_check_count(void);

/* Probes the target. `sample` is a valid case that the target declares (qd_session_can), NULL if none is known: then
 * the checks that need one are skipped. Checks that fail are no error.
 * USAGE: no such built-in target; INVALID …: the reference refuses the sample; NO_MEMORY, IO. */
enum qd_status qd_check_target(const struct qd_target_name *name,
                               const struct qd_session_options *options,
                               const struct qd_case *sample, qd_check_visitor *visit, void *context,
                               struct qd_error *error);

#endif
