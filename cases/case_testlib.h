/* SPDX-License-Identifier: Apache-2.0 */
/* Small cases and tensors for tests. Everything lives in the arena; a failure fails the test. */
#ifndef QDIFF_CASES_CASE_TESTLIB_H
#define QDIFF_CASES_CASE_TESTLIB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/build.h"

/* An arena as a group's or a test's state (cmocka). */
int arena_set_up(void **state);
int arena_tear_down(void **state);

/* A tensor of the given codes (qd_tensor_set). */
struct qd_tensor sample_tensor(struct qd_arena *arena, enum qd_dtype dtype, unsigned rank,
                               const int64_t *dims, const int64_t *codes);
/* f32 tensor of rank 1 (rank 0 when count is 0: one value). */
struct qd_tensor sample_floats(struct qd_arena *arena, size_t count, const float *values);

/* A QLinearConv of u8 x [1, 2, 3, 3], u8 w [2, 2, 2, 2], w_zero_point per channel, pads 1; id "sample/conv". */
struct qd_builder *sample_conv(struct qd_arena *arena);
struct qd_case sample_conv_case(struct qd_arena *arena);

/* Status OK or the test fails with the error's text. */
#define assert_ok(status, error)          \
    do {                                  \
        if ((status) != QD_OK)            \
            fail_msg("%s", (error).text); \
    } while (0)

/* The status is as wanted and the text mentions `part`. */
void assert_refused(enum qd_status have, enum qd_status want, const struct qd_error *error,
                    const char *part);

/* Same dtype, shape and bytes. */
void assert_same_tensor(const struct qd_tensor *have, const struct qd_tensor *want);

/* Same dtypes, shapes and counts. */
void assert_same_shapes(const struct qd_tensor *have, const struct qd_tensor *want, size_t count);

/* Makes *copy one of the case, in an arena that it empties first. */
void copy_case(const struct qd_case *kase, struct qd_arena *arena, struct qd_case *copy);

/* A new empty directory under the machine's temporary one, and its removal with everything in it. */
const char *make_scratch(struct qd_arena *arena);
void remove_scratch(const char *path);

#endif
