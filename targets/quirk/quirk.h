/* SPDX-License-Identifier: Apache-2.0 */
/* The reference as a target, under semantics of choice: "quirk:zero-points-ignored+rounding=truncate", and "reference"
 * for the default ones. It answers canonical values (the lower end where there is none). */
#ifndef QDIFF_TARGETS_QUIRK_H
#define QDIFF_TARGETS_QUIRK_H

#include "qdiff/status.h"
#include "qdiff/target.h"

extern const struct qd_target qd_quirk_target;

/* USAGE for a version, which it has none of, and for words that are no quirks. */
enum qd_status qd_quirk_check(const char *version, const char *config, struct qd_error *error);

#endif
