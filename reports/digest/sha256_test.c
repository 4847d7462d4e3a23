/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against FIPS 180-4's examples.
 * Alone: <build>/tests/reports/digest/sha256_test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "digest/sha256.h"

static void sha256_of_the_standard(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };

    (void)state;
    char text[QD_DIGEST_TEXT];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct qd_digest digest = qd_digest_of_text(rows[i].text), read;

        assert_string_equal(qd_digest_write(&digest, text), rows[i].want);
        assert_true(qd_digest_read(text, &read));
        assert_true(qd_digest_equal(&digest, &read));
    }
}

static void other_digits_are_refused(void **state)
{
    struct qd_digest digest = qd_digest_of_text("abc"), kept = digest;

    (void)state;
    char text[QD_DIGEST_TEXT];
    qd_digest_write(&digest, text);
    text[63] = 'g';
    assert_false(qd_digest_read(text, &digest));
    text[63] = 'A';
    assert_false(qd_digest_read(text, &digest));
    text[63] = '\0';
    assert_false(qd_digest_read(text, &digest));
    assert_true(qd_digest_equal(&digest, &kept));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_the_standard),
        cmocka_unit_test(other_digits_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
