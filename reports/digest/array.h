/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on the heap that double when they are full. */
#ifndef QDIFF_REPORTS_ARRAY_H
#define QDIFF_REPORTS_ARRAY_H

#include <stddef.h>

/* Room for one item more after the first `count` of `*capacity`, each of `size` bytes: `items`
 * itself or what it has become (the caller's, by free()), *capacity with it. NULL when out of
 * memory: then `items` and *capacity are as they were. */
void *qd_array_grow(void *items, size_t count, size_t *capacity, size_t size);

#endif
