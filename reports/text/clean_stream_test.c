/* SPDX-License-Identifier: Apache-2.0 */
/* What reaches the descriptor, byte for byte, however it was cut into writes.
 * Alone: <build>/tests/reports/text/clean_stream_test */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "text/clean_stream.h"

/* Writes the text in parts of `part` bytes, reads what came out. */
static void pass(const char *text, size_t part, char *out, size_t size)
{
    char path[] = "/tmp/qdiff-clean-XXXXXX";
    struct qd_clean_stream stream;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_true(qd_clean_stream_open(&stream, fd, part % 2 == 0));
    assert_false(stream.terminal);
    for (size_t at = 0, length = strlen(text); at < length; at += part) {
        fwrite(text + at, 1, at + part < length ? part : length - at, stream.out);
        fflush(stream.out);
    }
    assert_true(qd_clean_stream_close(&stream));
    ssize_t got = pread(fd, out, size - 1, 0);
    assert_true(got >= 0);
    out[got] = '\0';
    close(fd);
}

static void no_terminal_obeys_it(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"plain\n\ttext\r", "plain\n\ttext\r"},
        {"\x1b[31mred\x07\x7f", "?[31mred??"},
        {"r\xc3\xa9sum\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xe0\xa4\x85 ?",
         "r\xc3\xa9sum\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xe0\xa4\x85 ?"},
        {"\xc2\x9b[31m", "?[31m"},
        {"a\xe2\x80\xaez\xe2\x81\xa6", "a?z?"},
        {"\xc3x\xe2\x82x\xe2", "?x??x?"},
        {"\xe0\x80\xafx\xed\xa0\x80x\xf4\x90\x80\x80x\xff", "???x???x????x?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t part = 1; part < 9; part++) {
            char out[128];
            pass(rows[i].text, part, out, sizeof out);
            assert_string_equal(out, rows[i].want);
        }
}

/* More than any buffer holds. */
static void nothing_is_lost(void **state)
{
    static const size_t size = 100000;
    char *text = calloc(1, size + 1), *out = calloc(1, size + 2);
    (void)state;
    assert_true(text && out);
    for (size_t i = 0; i + 3 <= size; i += 3)
        memcpy(text + i, i % 2 ? "\xe2\x82\xac" : "a\xc3\xa9", 3);
    pass(text, 4097, out, size + 2);
    assert_string_equal(out, text);
    free(text);
    free(out);
}

static void a_full_disk_is_an_error(void **state)
{
    struct qd_clean_stream stream;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    (void)state;
    assert_true(full >= 0);
    assert_true(qd_clean_stream_open(&stream, full, false));
    fputs("text", stream.out);
    assert_int_not_equal(fflush(stream.out), 0);
    qd_clean_stream_close(&stream);
    assert_true(qd_clean_stream_open(&stream, full, false));
    fputs("text", stream.out);
    assert_false(qd_clean_stream_close(&stream));
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_terminal_obeys_it),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests_name("clean_stream", tests, NULL, NULL);
}
