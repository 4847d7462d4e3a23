/* SPDX-License-Identifier: Apache-2.0 */
/* Property: whatever the index and the manifest of a pack, it is visited or refused with a status and a text; every
 * case that is visited is the one that was packed. An input is a byte and a text: the index of the pack, which the
 * manifest then vouches for, or the manifest. The pack is one case in a directory of its own below $TMPDIR, removed
 * at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "pack/pack.h"
#include "qdiff/memory_stream.h"

#define MOST_TEXT ((size_t)1 << 16)

static void seed(struct qd_random *random, struct qd_mutant *room);

const struct qd_engine_harness qd_engine_harness = {
    .property = "whatever a pack's index and manifest, it is visited as it was packed or refused",
    .seed = seed,
};

static struct {
    struct qd_arena arena;
    char path[256], index_path[300], manifest_path[300];
    char *index, *manifest;
} pack;

static char *read_text(const char *path)
{
    uint8_t *bytes;
    size_t size;
    struct qd_error error = {.status = QD_OK};
    enum qd_status status = qd_file_read(path, MOST_TEXT, &pack.arena, &bytes, &size, &error);
    char *text = status == QD_OK ? qd_arena_alloc(&pack.arena, size + 1) : NULL;
    if (!text)
        qd_engine_fail("the harness' pack cannot be read", &error);
    memcpy(text, bytes, size);
    return text;
}

/* Not qd_file_write: nothing here has to last. */
static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(text, 1, size, file) == size;
    qd_engine_require(file && fclose(file) == 0 && good, "the harness' pack cannot be written",
                      NULL);
}

/* y = Relu(x) of one byte; opset 14. */
static void make_case(struct qd_case *kase)
{
    static const uint8_t model[] = {
        0x08, 7,   0x3a, 39, 0x0a, 12,   0x0a, 1,    'x', 0x12, 1,    'y',  0x22, 4,    'R',  'e',
        'l',  'u', 0x12, 1,  'g',  0x5a, 9,    0x0a, 1,   'x',  0x12, 4,    0x0a, 2,    0x08, 3,
        0x62, 9,   0x0a, 1,  'y',  0x12, 4,    0x0a, 2,   0x08, 3,    0x42, 2,    0x10, 14};
    static const int8_t x = -3;
    struct qd_tensor *input = qd_arena_alloc(&pack.arena, sizeof *input);
    struct qd_error error = {.status = QD_OK};
    enum qd_status status = qd_case_from_model(model, sizeof model, &pack.arena, kase, &error);
    if (status == QD_OK && input)
        status = qd_tensor_init(input, &pack.arena, QD_S8, 0, NULL, &error);
    if (status != QD_OK || !input)
        qd_engine_fail("the harness' case cannot be made", &error);
    memcpy(input->data, &x, 1);
    kase->id = "a/case";
    kase->input_count = 1;
    kase->inputs = input;
}

static void remove_pack(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", pack.path);
    if (system(command) != 0) /* NOLINT(cert-env33-c): a path of ours */
        fprintf(stderr, "%s is left\n", pack.path);
}

static void make_pack(void)
{
    const char *scratch = getenv("TMPDIR");
    struct qd_pack writing;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_digest digest;
    struct qd_error error = {.status = QD_OK};
    qd_arena_init(&pack.arena, (size_t)64 << 20);
    snprintf(pack.path, sizeof pack.path, "%.200s/qdiff-fuzz-pack.%ld", scratch ? scratch : "/tmp",
             (long)getpid());
    snprintf(pack.index_path, sizeof pack.index_path, "%s/" QD_PACK_INDEX, pack.path);
    snprintf(pack.manifest_path, sizeof pack.manifest_path, "%s/" QD_PACK_MANIFEST, pack.path);
    make_case(&kase);
    enum qd_status status = qd_case_evaluate(&kase, &pack.arena, &evaluated, &error);
    if (status == QD_OK)
        status = qd_pack_begin(pack.path, QD_LEVEL_SMOKE, &writing, &error);
    qd_engine_require(status == QD_OK, "the harness' pack cannot be begun", &error);
    atexit(remove_pack);
    status = qd_pack_add(&writing, &evaluated, QD_LEVEL_SMOKE, &pack.arena, &error);
    if (status == QD_OK)
        status = qd_pack_finish(&writing, &digest, &error);
    qd_engine_require(status == QD_OK, "the harness' pack cannot be written", &error);
    qd_pack_end(&writing);
    pack.index = read_text(pack.index_path);
    pack.manifest = read_text(pack.manifest_path);
}

/* The manifest that vouches for this index. */
static void sign(const char *index, size_t size)
{
    struct qd_digest digest = qd_digest_of(index, size);
    char text[QD_DIGEST_TEXT];
    char *line = strstr(pack.manifest, "  " QD_PACK_INDEX "\n");
    if (!line || line - pack.manifest < 64)
        qd_engine_fail("the harness' manifest has no index", NULL);
    memcpy(line - 64, qd_digest_write(&digest, text), 64);
}

static void seed(struct qd_random *random, struct qd_mutant *room)
{
    const uint8_t which = (uint8_t)qd_random_below(random, 4);
    if (!pack.index)
        make_pack();
    const char *text = which ? pack.index : pack.manifest;
    qd_engine_append(room, &which, 1);
    qd_engine_append(room, text, strlen(text));
}

static enum qd_visit check_case(void *context, const struct qd_case *kase)
{
    size_t *visited = context;
    qd_engine_require(strcmp(kase->id, "a/case") == 0 && kase->input_count == 1,
                      "another case than the one packed", NULL);
    ++*visited;
    return QD_VISIT_GO_ON;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qd_error error = {.status = QD_STATUS_COUNT};
    size_t visited = 0;
    if (!pack.index)
        make_pack();
    if (size == 0 || size > MOST_TEXT)
        return -1;
    const char *text = (const char *)data + 1;
    if (data[0]) {
        sign(text, size - 1);
        write_text(pack.index_path, text, size - 1);
        write_text(pack.manifest_path, pack.manifest, strlen(pack.manifest));
    } else {
        sign(pack.index, strlen(pack.index));
        write_text(pack.index_path, pack.index, strlen(pack.index));
        write_text(pack.manifest_path, text, size - 1);
    }
    enum qd_status status =
        qd_pack_visit(pack.path, QD_LEVEL_EXHAUSTIVE, check_case, &visited, &error);
    qd_engine_require_told(status, &error);
    qd_engine_require(visited <= 1, "a case is visited twice", NULL);
    return status == QD_OK ? 0 : -1;
}
