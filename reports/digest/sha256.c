/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of bytes, texts and cases, by Nettle. */
#include "digest/sha256.h"

#include <nettle/sha2.h>
#include <string.h>

struct qd_digest qd_digest_of(const void *bytes, size_t size)
{
    struct sha256_ctx context;

    sha256_init(&context);
    sha256_update(&context, size, bytes);
    struct qd_digest digest;
    sha256_digest(&context, sizeof digest.bytes, digest.bytes);
    return digest;
}

struct qd_digest qd_digest_of_text(const char *text)
{
    return qd_digest_of(text, strlen(text));
}

/* Each part with its length before it: no two cases give the same bytes. */
static void add_part(struct sha256_ctx *context, const void *bytes, size_t size)
{
    uint64_t length = size;

    sha256_update(context, sizeof length, (const uint8_t *)&length);
    sha256_update(context, size, bytes);
}

static void add_tensor(struct sha256_ctx *context, const struct qd_tensor *tensor)
{
    int64_t head[2 + QD_MAX_RANK] = {(int64_t)tensor->dtype, tensor->rank};

    memcpy(head + 2, tensor->dims, tensor->rank * sizeof tensor->dims[0]);
    add_part(context, head, sizeof head);
    add_part(context, tensor->data, qd_tensor_bytes(tensor));
}

static void add_step(struct sha256_ctx *context, const struct qd_case_step *step)
{
    uint32_t head[2] = {step->runs, step->keep};

    add_part(context, head, sizeof head);
    add_part(context, step->model, step->model_size);
    for (size_t i = 0; step->runs > 0 && i < step->graph->input_count; i++)
        add_tensor(context, &step->inputs[i]);
}

struct qd_digest qd_digest_of_case(const struct qd_case *kase)
{
    struct sha256_ctx context;

    sha256_init(&context);
    add_part(&context, kase->model, kase->model_size);
    for (size_t i = 0; i < kase->input_count; i++)
        add_tensor(&context, &kase->inputs[i]);
    if (kase->request_size > 0)
        add_part(&context, kase->request, kase->request_size);
    for (size_t i = 0; i < kase->step_count; i++)
        add_step(&context, &kase->steps[i]);
    struct qd_digest digest;
    sha256_digest(&context, sizeof digest.bytes, digest.bytes);
    return digest;
}

char *qd_digest_write(const struct qd_digest *digest, char text[QD_DIGEST_TEXT])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < QD_DIGEST_BYTES; i++) {
        text[2 * i] = digits[digest->bytes[i] >> 4];
        text[2 * i + 1] = digits[digest->bytes[i] & 15];
    }
    text[2 * QD_DIGEST_BYTES] = '\0';
    return text;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool qd_digest_read(const char *text, struct qd_digest *digest)
{
    struct qd_digest read = {{0}};

    for (size_t i = 0; i < sizeof read.bytes; i++) {
        int high = digit_value(text[2 * i]);
        int low = high < 0 ? -1 : digit_value(text[2 * i + 1]);

        if (low < 0)
            return false;
        read.bytes[i] = (uint8_t)(high << 4 | low);
    }
    *digest = read;
    return true;
}

bool qd_digest_equal(const struct qd_digest *a, const struct qd_digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
