/* SPDX-License-Identifier: Apache-2.0 */
/* A memory arena with a budget. One arena per case; users need no clean-up but qd_arena_clear. */
#ifndef QDIFF_ARENA_H
#define QDIFF_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qd_arena_block;

struct qd_arena {
    struct qd_arena_block *head; /* newest block */
    size_t used;   /* bytes handed out since init or reset, each piece rounded up to 64 */
    size_t budget; /* limit of `used`, in bytes */
    bool
        starved; /* the machine had no memory since init, reset or clear; the budget is another matter */
};

#define QD_ARENA_DEFAULT_BUDGET ((size_t)512 << 20)

/* Starts an empty arena that hands out at most `budget` bytes. Allocates nothing yet. */
void qd_arena_init(struct qd_arena *arena, size_t budget);

/* Returns `size` zeroed bytes aligned to 64, or NULL when the budget or the machine's memory is
 * used up. size 0 gives a valid, unique pointer. The memory lives until reset or clear. */
void *qd_arena_alloc(struct qd_arena *arena, size_t size);

/* The same without zeroes, for what is written whole before it is read. */
void *qd_arena_raw(struct qd_arena *arena, size_t size);

/* qd_arena_alloc for `count` elements of `size` bytes; NULL also when the product overflows. */
void *qd_arena_array(struct qd_arena *arena, size_t count, size_t size);

/* Copies of a string (NUL-terminated) and of `size` bytes; NULL when out of memory. */
char *qd_arena_string(struct qd_arena *arena, const char *text);
void *qd_arena_copy(struct qd_arena *arena, const void *bytes, size_t size);

/* A formatted string; NULL when out of memory. */
char *qd_arena_printf(struct qd_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Forgets all allocations, keeping one block for reuse (hot loops). */
void qd_arena_reset(struct qd_arena *arena);

/* Gives all memory back. The arena is then as after init. */
void qd_arena_clear(struct qd_arena *arena);

/* Clears what was used on behalf of `owner`, which is starved if `scratch` was. An answer made without memory may be
 * wrong, not only less. owner may be NULL. */
void qd_arena_clear_for(struct qd_arena *scratch, struct qd_arena *owner);

#endif
