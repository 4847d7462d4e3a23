/* SPDX-License-Identifier: Apache-2.0 */
#include "digest/array.h"

#include <stdint.h>
#include <stdlib.h>

void *qd_array_grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t wanted = *capacity == 0 ? 64 : *capacity * 2;
    void *grown = wanted <= SIZE_MAX / size ? realloc(items, wanted * size) : NULL;
    if (grown)
        *capacity = wanted;
    return grown;
}
