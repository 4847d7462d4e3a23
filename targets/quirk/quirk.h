/* The reference as a target, under semantics of choice: "quirk:zero-points-ignored+rounding=truncate", and "reference" for the
 * default ones. It answers canonical values (the lower end where there is none). */
#ifndef QDIFF_TARGETS_QUIRK_H
#define QDIFF_TARGETS_QUIRK_H

#include "qdiff/target.h"

extern const struct qd_target qd_quirk_target;

#endif
