/* SPDX-License-Identifier: Apache-2.0 */
/* A stream into memory has all that was written, or says that it has not. Alone:
 * <build>/tests/reference/graph/memory_stream_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "qdiff/memory_stream.h"
#include "twin/under_asan.h"

static void text_of_any_length_is_whole(void **state)
{
    (void)state;
    for (size_t length = 0; length < 70000; length = 2 * length + 1) {
        struct qd_memory_stream stream;
        assert_true(qd_memory_open(&stream));
        for (size_t i = 0; i < length; i++)
            fputc('a' + (int)(i % 26), stream.out);
        fflush(stream.out);
        assert_int_equal(stream.size, length);
        fputs("end", stream.out);
        assert_true(qd_memory_close(&stream));
        assert_int_equal(stream.size, length + 3);
        assert_int_equal(strlen(stream.text), length + 3);
        for (size_t i = 0; i < length; i++)
            assert_int_equal(stream.text[i], 'a' + (int)(i % 26));
        assert_string_equal(stream.text + length, "end");
        free(stream.text);
    }
}

/* More than an address space that is limited holds. */
static void what_is_lost_is_said(void **state)
{
    (void)state;
    if (QD_UNDER_ASAN) {
        print_message("# skipped: AddressSanitizer ends the program where malloc() would fail\n");
        return; /* cmocka's skip() is "not ok" in TAP */
    }
    struct rlimit before, small;
    struct qd_memory_stream stream;
    assert_true(qd_memory_open(&stream));
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)64 << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    static const char block[1 << 16];
    for (int i = 0; i < 1 << 11; i++)
        fwrite(block, 1, sizeof block, stream.out);
    bool whole = qd_memory_close(&stream);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_false(whole);
    assert_null(stream.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_any_length_is_whole),
        cmocka_unit_test(what_is_lost_is_said),
    };
    return cmocka_run_group_tests_name("memory_stream", tests, NULL, NULL);
}
