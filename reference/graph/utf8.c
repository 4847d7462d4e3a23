/* SPDX-License-Identifier: Apache-2.0 */
/* Takes UTF-8 apart, of which nothing is believed. */
#include "qdiff/utf8.h"

#include <stdint.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* By the first byte alone. */
static unsigned announced(unsigned char byte)
{
    return byte < 0x80                   ? 1
           : byte >= 0xC2 && byte < 0xE0 ? 2
           : byte >= 0xE0 && byte < 0xF0 ? 3
           : byte >= 0xF0 && byte < 0xF5 ? 4
                                         : 0;
}

static uint32_t point_of(const unsigned char *p, unsigned length)
{
    uint32_t point = length == 1 ? p[0] : p[0] & (0x7FU >> length);
    for (unsigned i = 1; i < length; i++)
        point = point << 6 | (p[i] & 0x3F);
    return point;
}

unsigned qd_utf8_length(const char *text, size_t left)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned length = announced(p[0]);
    if (length > left)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if (!is_continuation(p[i])) /* a NUL is none either */
            return 0;
    uint32_t point = length > 0 ? point_of(p, length) : 0;
    bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    bool outside = (point >= 0xD800 && point < 0xE000) || point > 0x10FFFF;
    return overlong || outside ? 0 : length;
}

bool qd_utf8_is_printable(const char *text, unsigned length)
{
    static const uint32_t ranges[][2] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},
                                         {0x200E, 0x200F}, {0x202A, 0x202E}, {0x2066, 0x2069}};
    uint32_t point = point_of((const unsigned char *)text, length);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (point >= ranges[i][0] && point <= ranges[i][1])
            return false;
    return true;
}
