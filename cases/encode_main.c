/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes the cases of a source tree: text cases by one run of protoc, must-reject tables by editing their twins.
 *
 * usage: encode_cases PROTOC CASE_PROTO_DIR ONNX_PROTO_DIR CASES_DIR OUTPUT_DIR
 *
 * CASES_DIR/<id>.textproto and the rows of CASES_DIR/reject/<Operator>.reject become OUTPUT_DIR/<id>.qdcase. Nothing is
 * written before everything is encoded; *.qdcase files of cases that are gone are removed. */
#define _GNU_SOURCE /* fts, posix_spawn */
#include <errno.h>
#include <fts.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qdiff/case.h"
#include "qdiff/evaluate.h"
#include "qdiff/wire.h"
#include "reject_table.h"

enum { MAX_CASES = 8192, MAX_PATH = 512, MAX_TEXT = 1 << 24, CASES_AT = 1 };

/* Instead of the reference's: what is only encoded needs no operator. Link-time optimization makes a program's code
 * when it is linked, and without the operators' that is six times as fast. */
const struct qd_op *qd_op_find(const char *domain, const char *name)
{
    (void)domain, (void)name;
    return NULL;
}

struct encoded {
    const char *id; /* its place: the path without suffix */
    const uint8_t *bytes;
    size_t size;
};

struct suite {
    struct qd_arena arena;
    struct qd_error error;
    const char *cases_dir, *output_dir;
    char *protoc[8]; /* its command line */
    size_t count, text_count;
    struct encoded at[MAX_CASES];
};

static enum qd_status fail_errno(struct suite *suite, const char *path, const char *what)
{
    return qd_fail(&suite->error, qd_status_of_errno(errno), "%s: cannot %s: %s", path, what,
                   strerror(errno));
}

static enum qd_status no_room(struct suite *suite)
{
    return qd_fail(&suite->error, QD_NO_MEMORY, "the memory budget is used up");
}

/* --- Files ---------------------------------------------------------------------------------------- */

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), end = strlen(suffix);
    return length > end && strcmp(path + length - end, suffix) == 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Calls `take` with the path below `root`, without suffix, of every file that has the suffix, in order. */
static enum qd_status each_file(struct suite *suite, const char *root, const char *suffix,
                                enum qd_status (*take)(struct suite *suite, const char *place))
{
    char *path = qd_arena_string(&suite->arena, root);
    char *const roots[] = {path, NULL};
    FTS *tree = path ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    enum qd_status status = tree ? QD_OK : fail_errno(suite, root, "read");
    for (FTSENT *entry; status == QD_OK && (entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info != FTS_F || !has_suffix(entry->fts_name, suffix))
            continue;
        const char *below = entry->fts_path + strlen(root) + 1;
        const char *place =
            qd_arena_printf(&suite->arena, "%.*s", (int)(strlen(below) - strlen(suffix)), below);
        status = place ? take(suite, place) : no_room(suite);
    }
    if (tree)
        fts_close(tree);
    return status;
}

static enum qd_status read_text(struct suite *suite, const char *place, const char *suffix,
                                const char **text, size_t *size)
{
    uint8_t *bytes;
    const char *path = qd_arena_printf(&suite->arena, "%s/%s%s", suite->cases_dir, place, suffix);
    if (!path)
        return no_room(suite);
    enum qd_status status =
        qd_file_read(path, MAX_TEXT, &suite->arena, &bytes, size, &suite->error);
    if (status == QD_OK)
        *text = (const char *)bytes;
    return status;
}

static enum qd_status add_case(struct suite *suite, const char *id, const uint8_t *bytes,
                               size_t size)
{
    if (suite->count == MAX_CASES)
        return qd_fail(&suite->error, QD_LIMIT, "more than %d cases", MAX_CASES);
    suite->at[suite->count++] = (struct encoded){id, bytes, size};
    return QD_OK;
}

/* --- Text cases ----------------------------------------------------------------------------------- */

static enum qd_status note_text(struct suite *suite, const char *place)
{
    return add_case(suite, place, NULL, 0);
}

/* Runs protoc from one file into another; false: it failed. With `shown` it says why. */
static bool run_protoc(struct suite *suite, FILE *in, FILE *out, bool shown)
{
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_t files;
    if (fflush(in) != 0 || fseek(in, 0, SEEK_SET) != 0 ||
        posix_spawn_file_actions_init(&files) != 0)
        return false;
    posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
    if (!shown)
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", 1, 0);
    int failure = posix_spawnp(&child, suite->protoc[0], &files, NULL, suite->protoc, environ);
    posix_spawn_file_actions_destroy(&files);
    while (failure == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return failure == 0 && status == 0;
}

/* Each text as a field of the message Cases, with the id that its place gives it. */
static enum qd_status join_texts(struct suite *suite, FILE *joined, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const char *text = "";
        size_t size = 0;
        enum qd_status status = read_text(suite, suite->at[i].id, ".textproto", &text, &size);
        if (status != QD_OK)
            return status;
        /* On the text's first line: protoc counts lines. */
        fprintf(joined, "at { schema: 1 id: \"%s\" ", suite->at[i].id);
        fwrite(text, 1, size, joined);
        fputs("\n}\n", joined);
    }
    return ferror(joined) ? fail_errno(suite, "a temporary file", "write") : QD_OK;
}

/* The texts `first` to `end`, encoded into `out`. */
static enum qd_status encode_texts(struct suite *suite, size_t first, size_t end, FILE *out,
                                   bool shown)
{
    FILE *joined = tmpfile();
    if (!joined)
        return fail_errno(suite, "a temporary file", "make");
    enum qd_status status = join_texts(suite, joined, first, end);
    if (status == QD_OK && !run_protoc(suite, joined, out, shown))
        status = qd_fail(&suite->error, QD_MALFORMED,
                         "%s/%s.textproto: protoc refuses it, or cannot be run (its lines above)",
                         suite->cases_dir, suite->at[first].id);
    fclose(joined);
    return status;
}

/* protoc refused the texts together: the first one that it refuses alone is at fault. */
static enum qd_status blame(struct suite *suite, FILE *out)
{
    for (size_t i = 0; i < suite->text_count; i++) {
        enum qd_status status = encode_texts(suite, i, i + 1, out, true);
        if (status != QD_OK)
            return status;
    }
    return qd_fail(&suite->error, QD_INTERNAL, "protoc refuses the text cases only together");
}

static enum qd_status check_case(struct suite *suite, const struct encoded *encoded)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status =
        qd_case_decode(encoded->bytes, encoded->size, &arena, &kase, &suite->error);
    qd_arena_clear(&arena);
    return status == QD_OK ? QD_OK
                           : qd_fail_context(&suite->error, status, "%s/%s.textproto",
                                             suite->cases_dir, encoded->id);
}

static enum qd_status split(struct suite *suite, FILE *out)
{
    long size = fseek(out, 0, SEEK_END) == 0 ? ftell(out) : -1;
    uint8_t *bytes = size < 0 ? NULL : qd_arena_raw(&suite->arena, (size_t)size);
    rewind(out);
    if (!bytes || fread(bytes, 1, (size_t)size, out) != (size_t)size)
        return qd_fail(&suite->error, QD_IO, "cannot read what protoc wrote");
    struct qd_wire wire = {.bytes = bytes, .size = (size_t)size};
    struct qd_wire_field field;
    size_t n = 0;
    for (; qd_wire_next(&wire, &field) && field.number == CASES_AT; n++)
        if (n < suite->text_count) {
            suite->at[n].bytes = field.bytes;
            suite->at[n].size = field.size;
        }
    if (wire.problem || n != suite->text_count)
        return qd_fail(&suite->error, QD_MALFORMED, "%zu text cases became %zu: some brace is off",
                       suite->text_count, n);
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < n; i++)
        status = check_case(suite, &suite->at[i]);
    return status;
}

static enum qd_status add_texts(struct suite *suite)
{
    enum qd_status status = each_file(suite, suite->cases_dir, ".textproto", note_text);
    FILE *out = tmpfile();
    suite->text_count = suite->count;
    if (!out)
        return fail_errno(suite, "a temporary file", "make");
    if (status == QD_OK && encode_texts(suite, 0, suite->text_count, out, false) != QD_OK)
        status = blame(suite, out);
    if (status == QD_OK)
        status = split(suite, out);
    fclose(out);
    return status;
}

/* --- Tables --------------------------------------------------------------------------------------- */

static const struct encoded *find_text(const struct suite *suite, const char *id)
{
    for (size_t i = 0; i < suite->text_count; i++)
        if (strcmp(suite->at[i].id, id) == 0)
            return &suite->at[i];
    return NULL;
}

static enum qd_status add_row(struct suite *suite, const char *table,
                              const struct qd_reject_row *row)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    const char *id = qd_reject_id(table, row->name, &suite->arena);
    const char *twin_id = qd_reject_id(table, row->twin, &suite->arena);
    if (!id || !twin_id)
        return no_room(suite);
    const struct encoded *twin = find_text(suite, twin_id);
    enum qd_status status =
        twin ? qd_reject_make(table, row, twin->bytes, twin->size, &suite->arena, &bytes, &size,
                              &suite->error)
             : qd_fail(&suite->error, QD_INVALID, "there is no twin %s.textproto", twin_id);
    if (status == QD_OK)
        return add_case(suite, id, bytes, size);
    return qd_fail_context(&suite->error, status, "line %zu: %s", row->line, row->name);
}

static enum qd_status add_table(struct suite *suite, const char *place)
{
    const char *text = "", *slash = strrchr(place, '/');
    size_t size = 0, count = 0;
    const struct qd_reject_row *rows = NULL;
    enum qd_status status = QD_OK;
    if (strncmp(place, "reject/", 7) != 0 || slash != place + 6)
        status = qd_fail(&suite->error, QD_INVALID, "tables are in reject/");
    if (status == QD_OK)
        status = read_text(suite, place, ".reject", &text, &size);
    if (status == QD_OK)
        status = qd_reject_read(text, size, &suite->arena, &rows, &count, &suite->error);
    for (size_t i = 0; status == QD_OK && i < count; i++)
        status = add_row(suite, slash + 1, &rows[i]);
    return status == QD_OK
               ? QD_OK
               : qd_fail_context(&suite->error, status, "%s/%s.reject", suite->cases_dir, place);
}

/* --- Output --------------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct encoded *left = a, *right = b;
    return strcmp(left->id, right->id);
}

static enum qd_status sort(struct suite *suite)
{
    qsort(suite->at, suite->count, sizeof *suite->at, by_id);
    for (size_t i = 1; i < suite->count; i++)
        if (strcmp(suite->at[i - 1].id, suite->at[i].id) == 0)
            return qd_fail(&suite->error, QD_INVALID, "%s is a file and a row of a table",
                           suite->at[i].id);
    return QD_OK;
}

static bool make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static enum qd_status write_case(struct suite *suite, const struct encoded *encoded)
{
    char path[MAX_PATH];
    if (snprintf(path, sizeof path, "%s/%s.qdcase", suite->output_dir, encoded->id) >= MAX_PATH)
        return qd_fail(&suite->error, QD_LIMIT, "%s: the path is too long", encoded->id);
    FILE *out = make_directories(path) ? fopen(path, "wb") : NULL;
    if (!out)
        return fail_errno(suite, path, "make");
    bool written = fwrite(encoded->bytes, 1, encoded->size, out) == encoded->size;
    return fclose(out) == 0 && written ? QD_OK : fail_errno(suite, path, "write");
}

static enum qd_status remove_stale(struct suite *suite, const char *place)
{
    const struct encoded key = {.id = place};
    char path[MAX_PATH];
    if (bsearch(&key, suite->at, suite->count, sizeof key, by_id))
        return QD_OK;
    if (snprintf(path, sizeof path, "%s/%s.qdcase", suite->output_dir, place) >= MAX_PATH ||
        unlink(path) != 0)
        return fail_errno(suite, path, "remove");
    *strrchr(path, '/') = '\0';
    rmdir(path); /* if that was its last file */
    return QD_OK;
}

static enum qd_status write_cases(struct suite *suite)
{
    enum qd_status status = sort(suite);
    for (size_t i = 0; status == QD_OK && i < suite->count; i++)
        status = write_case(suite, &suite->at[i]);
    return status == QD_OK ? each_file(suite, suite->output_dir, ".qdcase", remove_stale) : status;
}

static enum qd_status encode(struct suite *suite)
{
    enum qd_status status = add_texts(suite);
    if (status == QD_OK)
        status = each_file(suite, suite->cases_dir, ".reject", add_table);
    return status == QD_OK ? write_cases(suite) : status;
}

int main(int argc, char **argv)
{
    static struct suite suite;
    if (argc != 6) {
        fprintf(stderr, "usage: %s PROTOC CASE_PROTO_DIR ONNX_PROTO_DIR CASES_DIR OUTPUT_DIR\n",
                argv[0]);
        return 2;
    }
    qd_arena_init(&suite.arena, QD_ARENA_DEFAULT_BUDGET);
    suite.cases_dir = argv[4];
    suite.output_dir = argv[5];
    const char *const words[] = {argv[1],     "--encode=qdiff.Cases", "-I", argv[2], "-I", argv[3],
                                 "case.proto"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        suite.protoc[i] = qd_arena_string(&suite.arena, words[i]);
    enum qd_status status = encode(&suite);
    if (status != QD_OK)
        fprintf(stderr, "encode_cases: %s\n", suite.error.text);
    qd_arena_clear(&suite.arena);
    return status == QD_OK ? 0 : 1;
}
