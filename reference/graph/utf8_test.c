/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 has it, over all code points, and what may be shown. Alone:
 * <build>/tests/reference/graph/utf8_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "qdiff/utf8.h"

/* RFC 3629, section 3, as it is written there. */
static unsigned encode(uint32_t point, char text[5])
{
    unsigned length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    memset(text, 0, 5);
    if (length == 1)
        text[0] = (char)point;
    for (unsigned i = length - 1; length > 1 && i > 0; i--, point >>= 6)
        text[i] = (char)(0x80 | (point & 0x3F));
    if (length > 1)
        text[0] = (char)((0xF00 >> length & 0xFF) | point);
    return length;
}

static void every_code_point_has_its_length(void **state)
{
    (void)state;
    for (uint32_t point = 0; point < 0x120000; point++) {
        char text[5];
        unsigned length = encode(point, text);
        bool valid = point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
        assert_int_equal(qd_utf8_length(text, QD_UTF8_MOST), valid ? length : 0);
        for (unsigned cut = 1; cut < length; cut++)
            assert_int_equal(qd_utf8_length(text, cut), 0);
    }
}

static void what_is_no_sequence_has_none(void **state)
{
    static const char *const rows[] = {"\x80",     "\xc3",         "\xe2\x82",
                                       "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf",
                                       "\xff",     "\xc3\x28"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(qd_utf8_length(rows[i], QD_UTF8_MOST), 0);
}

/* Unicode's general category Cc, and the property Bidi_Control (PropList.txt). */
static void controls_are_not_printable(void **state)
{
    static const uint32_t controls[] = {0x61C,  0x200E, 0x200F, 0x202A, 0x202B, 0x202C,
                                        0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069};
    size_t next = 0;
    (void)state;
    for (uint32_t point = 0; point < 0xD800; point++) {
        char text[5];
        unsigned length = encode(point, text);
        bool bidi = next < sizeof controls / sizeof controls[0] && point == controls[next];
        bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
        next += bidi;
        assert_int_equal(qd_utf8_is_printable(text, length), !bidi && !control);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_has_its_length),
        cmocka_unit_test(what_is_no_sequence_has_none),
        cmocka_unit_test(controls_are_not_printable),
    };
    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
