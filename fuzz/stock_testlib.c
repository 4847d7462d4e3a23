/* SPDX-License-Identifier: Apache-2.0 */
#include "stock_testlib.h"

int stock_set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct qd_error error;
    assert_non_null(f);
    qd_arena_init(&f->stock_arena, (size_t)1 << 30);
    qd_arena_init(&f->arena, QD_FUZZ_MEMORY);
    qd_arena_init(&f->other, QD_FUZZ_MEMORY);
    if (qd_stock_make(QD_LEVEL_SMOKE, &f->stock_arena, &f->stock, &error) != QD_OK)
        fail_msg("%s", error.text);
    f->mutation = (struct qd_mutation){.stock = &f->stock};
    f->first = malloc(CAPACITY);
    f->second = malloc(CAPACITY);
    assert_non_null(f->first);
    assert_non_null(f->second);
    *state = f;
    return 0;
}

int stock_tear_down(void **state)
{
    struct fixture *f = *state;
    qd_arena_clear(&f->stock_arena);
    qd_arena_clear(&f->arena);
    qd_arena_clear(&f->other);
    free(f->first);
    free(f->second);
    free(f);
    return 0;
}
