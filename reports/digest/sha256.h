/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of bytes, texts and cases. */
#ifndef QDIFF_REPORTS_SHA256_H
#define QDIFF_REPORTS_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "qdiff/case.h"

#define QD_DIGEST_BYTES 32
#define QD_DIGEST_TEXT (2 * QD_DIGEST_BYTES + 1)

struct qd_digest {
    uint8_t bytes[QD_DIGEST_BYTES];
};

struct qd_digest qd_digest_of(const void *bytes, size_t size);

/* Of a text without its NUL. */
struct qd_digest qd_digest_of_text(const char *text);

/* Of a case's model, inputs and request: what a target is given, whatever the case is called. */
struct qd_digest qd_digest_of_case(const struct qd_case *kase);

/* 64 lower-case hexadecimal digits into text; returns text. */
char *qd_digest_write(const struct qd_digest *digest, char text[QD_DIGEST_TEXT]);

/* Reads 64 such digits; false if there are others or fewer. */
bool qd_digest_read(const char *text, struct qd_digest *digest);

bool qd_digest_equal(const struct qd_digest *a, const struct qd_digest *b);

#endif
