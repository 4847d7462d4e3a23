/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the target openvino. Internal to the targets layer. */
#ifndef QDIFF_OPENVINO_H
#define QDIFF_OPENVINO_H

#include "qdiff/status.h"

/* The settings that `qdiff targets` lists, NULL-terminated. */
extern const char *const qd_openvino_configs[];

/* Whether `config` is "", "lpt=on" or "lpt=off": the low precision transformations. USAGE. */
enum qd_status qd_openvino_check(const char *config, struct qd_error *error);

#endif
