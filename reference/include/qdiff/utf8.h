/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of texts from outside, and which of them may be shown. */
#ifndef QDIFF_UTF8_H
#define QDIFF_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define QD_UTF8_MOST 4 /* bytes of a character */

/* Length of the UTF-8 sequence at `text`, 1 to 4; 0 if there is none (overlong, surrogate, cut, beyond U+10FFFF). At
 * most `left` bytes are read, which is at least 1, and none after a NUL: of a string `left` may be QD_UTF8_MOST. */
unsigned qd_utf8_length(const char *text, size_t left);

/* Whether a sequence of that length, 1 to 4, shows what it is: no control character (C0, DEL, C1: a terminal obeys
 * them) and none that turns the direction of the text after it (Unicode Standard Annex #9; CVE-2021-42574). */
bool qd_utf8_is_printable(const char *text, unsigned length);

#endif
