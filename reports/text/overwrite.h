/* SPDX-License-Identifier: Apache-2.0 */
/* What a report may overwrite: a slip of the finger must not cost a case or a model. */
#ifndef QDIFF_REPORTS_OVERWRITE_H
#define QDIFF_REPORTS_OVERWRITE_H

#include <stdbool.h>

/* Whether the path is free, empty, no regular file, or a file that begins like those that replace it. */
bool qd_may_overwrite(const char *path, const char *first);

#endif
