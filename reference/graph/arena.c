/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT ((size_t)64)
#define BLOCK_BYTES ((size_t)64 << 10)

struct qd_arena_block {
    struct qd_arena_block *next; /* older block */
    size_t size, used;           /* bytes at `bytes` */
    _Alignas(64) unsigned char bytes[];
};

void qd_arena_init(struct qd_arena *arena, size_t budget)
{
    *arena = (struct qd_arena){.head = NULL, .used = 0, .budget = budget};
}

static struct qd_arena_block *grow(struct qd_arena *arena, size_t size)
{
    size_t payload = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct qd_arena_block *block = aligned_alloc(ALIGNMENT, sizeof *block + payload);
    if (!block) {
        arena->starved = true;
        return NULL;
    }
    block->next = arena->head;
    block->size = payload;
    block->used = 0;
    arena->head = block;
    return block;
}

void *qd_arena_raw(struct qd_arena *arena, size_t size)
{
    if (size > arena->budget)
        return NULL;
    size_t rounded = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->used > arena->budget || rounded > arena->budget - arena->used)
        return NULL;
    struct qd_arena_block *block = arena->head;
    if (!block || block->size - block->used < rounded)
        block = grow(arena, rounded);
    if (!block)
        return NULL;
    void *bytes = block->bytes + block->used;
    block->used += rounded;
    arena->used += rounded; /* what small pieces really cost counts */
    return bytes;
}

void *qd_arena_alloc(struct qd_arena *arena, size_t size)
{
    void *bytes = qd_arena_raw(arena, size);
    return bytes ? memset(bytes, 0, size) : NULL;
}

void *qd_arena_array(struct qd_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return qd_arena_alloc(arena, count * size);
}

void *qd_arena_copy(struct qd_arena *arena, const void *bytes, size_t size)
{
    void *copy = qd_arena_alloc(arena, size);
    if (copy && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

char *qd_arena_string(struct qd_arena *arena, const char *text)
{
    return qd_arena_copy(arena, text, strlen(text) + 1);
}

char *qd_arena_printf(struct qd_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : qd_arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

static void free_chain(struct qd_arena_block *block)
{
    while (block) {
        struct qd_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void qd_arena_reset(struct qd_arena *arena)
{
    arena->used = 0;
    arena->starved = false;
    if (!arena->head)
        return;
    /* The newest block is kept: in a loop over cases it is the one that was large enough. */
    free_chain(arena->head->next);
    arena->head->next = NULL;
    arena->head->used = 0;
}

void qd_arena_clear(struct qd_arena *arena)
{
    free_chain(arena->head);
    arena->head = NULL;
    arena->used = 0;
    arena->starved = false;
}

void qd_arena_clear_for(struct qd_arena *scratch, struct qd_arena *owner)
{
    if (owner)
        owner->starved = owner->starved || scratch->starved;
    qd_arena_clear(scratch);
}
