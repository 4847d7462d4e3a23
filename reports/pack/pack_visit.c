/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a pack: nothing of it is believed that the manifest does not vouch for. */
#define _GNU_SOURCE /* fts */
#include <fts.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pack/pack.h"

#define MANIFEST_LIMIT ((size_t)256 << 20)

/* A visit under way. */
struct reading {
    const char *path;
    struct qd_arena *arena; /* manifest and index */
    struct qd_arena files;  /* of one case */
    struct qd_pack_entry *entries;
    bool *claimed; /* by a line of the index */
    size_t count;
    enum qd_level level;
    qd_case_visitor *visit;
    void *context;
    enum qd_visit answer;
};

/* One line of the index. */
struct record {
    const char *path, *id, *level;
    size_t first, last; /* its files are entries [first, last) */
};

bool qd_pack_is(const char *path)
{
    char manifest[4096];

    snprintf(manifest, sizeof manifest, "%s/%s", path, QD_PACK_MANIFEST);
    struct stat info;
    return stat(manifest, &info) == 0 && S_ISREG(info.st_mode);
}

/* --- The manifest ------------------------------------------------------------------------------ */

static enum qd_status parse_line(const struct reading *reading, char *line, size_t number,
                                 struct qd_pack_entry *entry, struct qd_error *error)
{
    if (!qd_digest_read(line, &entry->digest) || strncmp(line + 64, "  ", 2) != 0 ||
        line[66] == '\0' || line[66] == '/' || strstr(line, "..")) {
        return qd_fail(error, QD_MALFORMED,
                       "%s/" QD_PACK_MANIFEST ":%zu: want a SHA-256, two blanks and a path below",
                       reading->path, number);
    }
    entry->path = line + 66;
    if (number > 1 && strcmp(entry[-1].path, entry->path) >= 0) {
        return qd_fail(error, QD_INVALID, "%s/" QD_PACK_MANIFEST ":%zu: the paths are not sorted",
                       reading->path, number);
    }
    return QD_OK;
}

static size_t count_lines(const char *text)
{
    size_t count = 1;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static enum qd_status read_text(struct reading *reading, const char *name, char **text,
                                struct qd_digest *digest, struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_file_read_below(reading->path, name, MANIFEST_LIMIT, reading->arena,
                                               &bytes, &size, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "%s", reading->path);
    char *copy = qd_arena_alloc(reading->arena, size + 1);
    if (!copy)
        return qd_fail(error, QD_NO_MEMORY, "%s/%s: no memory for %zu bytes", reading->path, name,
                       size);
    memcpy(copy, bytes, size);
    if (strlen(copy) != size)
        return qd_fail(error, QD_MALFORMED, "%s/%s: holds a NUL", reading->path, name);
    *digest = qd_digest_of(bytes, size);
    *text = copy;
    return QD_OK;
}

static enum qd_status read_manifest(struct reading *reading, struct qd_error *error)
{
    char *text = NULL, *rest, *line;
    struct qd_digest digest;
    enum qd_status status = read_text(reading, QD_PACK_MANIFEST, &text, &digest, error);

    if (status != QD_OK || !text)
        return status;
    size_t most = count_lines(text);
    reading->entries = qd_arena_array(reading->arena, most, sizeof *reading->entries);
    reading->claimed = qd_arena_array(reading->arena, most, sizeof *reading->claimed);
    if (!reading->entries || !reading->claimed)
        return qd_fail(error, QD_NO_MEMORY, "%s: no memory for the manifest", reading->path);
    for (line = strtok_r(text, "\n", &rest); line && status == QD_OK;
         line = strtok_r(NULL, "\n", &rest)) {
        status =
            parse_line(reading, line, reading->count + 1, &reading->entries[reading->count], error);
        reading->count++;
    }
    return status;
}

/* The first entry whose path is not before `path`. */
static size_t lower_bound(const struct reading *reading, const char *path)
{
    size_t low = 0, high = reading->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(reading->entries[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum qd_status check_digest(const struct reading *reading, const struct qd_pack_entry *entry,
                                   const struct qd_digest *have, const char *holds,
                                   struct qd_error *error)
{
    char want_text[QD_DIGEST_TEXT], have_text[QD_DIGEST_TEXT];

    if (qd_digest_equal(&entry->digest, have))
        return QD_OK;
    return qd_fail(error, QD_INVALID, "%s/%s (%s): SHA-256 %.16s..., the manifest says %.16s...",
                   reading->path, entry->path, holds, qd_digest_write(have, have_text),
                   qd_digest_write(&entry->digest, want_text));
}

/* --- Cases ------------------------------------------------------------------------------------- */

/* What of a case a file of its directory holds. */
static const char *field_of(const char *file, char text[64])
{
    static const char *const kinds[][2] = {{"input_", "input"},
                                           {"output_", "output"},
                                           {"lo_", "least values of output"},
                                           {"hi_", "greatest values of output"},
                                           {"open_", "open elements of output"}};
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;

    if (strcmp(name, "model.onnx") == 0)
        return "model";
    if (strcmp(name, "data.json") == 0)
        return "tolerances";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i][0]);

        if (strncmp(name, kinds[i][0], length) == 0) {
            snprintf(text, 64, "%s %d", kinds[i][1], atoi(name + length));
            return text;
        }
    }
    return "id, expectation, origin and tags";
}

/* Reads a file of a case, once; what is hashed is what is used. */
static enum qd_status read_file(struct reading *reading, const struct qd_pack_entry *entry,
                                size_t prefix, struct qd_case_file *file, struct qd_error *error)
{
    uint8_t *bytes;
    enum qd_status status = qd_file_read_below(reading->path, entry->path, QD_CASE_MAX_BYTES,
                                               &reading->files, &bytes, &file->size, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "%s", reading->path);
    struct qd_digest have = qd_digest_of(bytes, file->size);
    char field[64];
    file->path = entry->path + prefix;
    file->bytes = bytes;
    return check_digest(reading, entry, &have, field_of(entry->path, field), error);
}

/* The manifest's entries below a case's directory, which no other line of the index may have. */
static enum qd_status claim(struct reading *reading, struct record *record, struct qd_error *error)
{
    const char *prefix = qd_arena_printf(&reading->files, "%s/", record->path);

    if (!prefix)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    size_t length = strlen(prefix), i = record->first = lower_bound(reading, prefix);
    for (; i < reading->count && strncmp(reading->entries[i].path, prefix, length) == 0; i++) {
        if (reading->claimed[i])
            return qd_fail(error, QD_INVALID, "%s/" QD_PACK_INDEX ": path: %s is named twice",
                           reading->path, record->path);
        reading->claimed[i] = true;
    }
    record->last = i;
    return i > record->first ? QD_OK
                             : qd_fail(error, QD_INVALID,
                                       "%s/" QD_PACK_INDEX ": path: the manifest has no file of %s",
                                       reading->path, record->path);
}

/* Of the files that the manifest vouches for, and no others. */
static enum qd_status visit_case(struct reading *reading, const struct record *record,
                                 struct qd_error *error)
{
    size_t count = record->last - record->first;
    struct qd_case_file *files = qd_arena_array(&reading->files, count, sizeof *files);
    const char *path = qd_arena_printf(&reading->files, "%s/%s", reading->path, record->path);
    enum qd_status status = QD_OK;

    if (!path || !files)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the files of a case");
    for (size_t i = 0; status == QD_OK && i < count; i++)
        status = read_file(reading, &reading->entries[record->first + i], strlen(record->path) + 1,
                           &files[i], error);
    struct qd_case kase;
    if (status == QD_OK)
        status = qd_case_of_files(path, files, count, &reading->files, &kase, error);
    if (status == QD_OK && strcmp(kase.id, record->id) != 0) {
        return qd_fail(error, QD_INVALID,
                       "%s/" QD_PACK_INDEX ": id: \"%s\", qdiff.pb of %s has \"%s\"", reading->path,
                       record->id, record->path, kase.id);
    }
    if (status == QD_OK)
        reading->answer = reading->visit(reading->context, &kase);
    return status;
}

/* --- The index --------------------------------------------------------------------------------- */

static enum qd_status text_of(const struct reading *reading, const json_t *object, const char *key,
                              size_t line, const char **text, struct qd_error *error)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_string(value)) {
        return qd_fail(error, QD_MALFORMED, "%s/" QD_PACK_INDEX ":%zu: %s: a text is wanted",
                       reading->path, line, key);
    }
    *text = json_string_value(value);
    return QD_OK;
}

static enum qd_status take_case(struct reading *reading, const json_t *object, size_t line,
                                struct qd_error *error)
{
    struct record record = {.path = "", .id = "", .level = ""};
    enum qd_status status = text_of(reading, object, "path", line, &record.path, error);

    if (status == QD_OK)
        status = text_of(reading, object, "id", line, &record.id, error);
    if (status == QD_OK)
        status = text_of(reading, object, "level", line, &record.level, error);
    enum qd_level level;
    if (status == QD_OK && !qd_level_find(record.level, &level)) {
        status = qd_fail(error, QD_INVALID, "%s/" QD_PACK_INDEX ":%zu: level: no level \"%.40s\"",
                         reading->path, line, record.level);
    }
    qd_arena_reset(&reading->files);
    if (status == QD_OK)
        status = claim(reading, &record, error);
    return status == QD_OK && level <= reading->level ? visit_case(reading, &record, error)
                                                      : status;
}

static enum qd_status take_header(const struct reading *reading, const json_t *object,
                                  struct qd_error *error)
{
    json_int_t schema = json_integer_value(json_object_get(object, "schema"));

    if (schema != QD_PACK_SCHEMA) {
        return qd_fail(error, QD_UNSUPPORTED, "%s/" QD_PACK_INDEX ":1: schema: %lld, want %d",
                       reading->path, (long long)schema, QD_PACK_SCHEMA);
    }
    return QD_OK;
}

static enum qd_status take_line(struct reading *reading, const char *text, size_t line,
                                struct qd_error *error)
{
    json_error_t broken;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &broken);

    if (!object) {
        return qd_fail(error, QD_MALFORMED, "%s/" QD_PACK_INDEX ":%zu: %s", reading->path, line,
                       broken.text);
    }
    enum qd_status status;
    status =
        line == 1 ? take_header(reading, object, error) : take_case(reading, object, line, error);
    json_decref(object);
    return status;
}

static enum qd_status read_index(struct reading *reading, char **text, struct qd_error *error)
{
    size_t at = lower_bound(reading, QD_PACK_INDEX);

    if (at == reading->count || strcmp(reading->entries[at].path, QD_PACK_INDEX) != 0) {
        return qd_fail(error, QD_INVALID, "%s/" QD_PACK_MANIFEST ": names no " QD_PACK_INDEX,
                       reading->path);
    }
    struct qd_digest have;
    reading->claimed[at] = true;
    enum qd_status status = read_text(reading, QD_PACK_INDEX, text, &have, error);
    return status == QD_OK ? check_digest(reading, &reading->entries[at], &have, "index", error)
                           : status;
}

/* Nothing in the manifest is of no case, and nothing in the directory is beside the manifest. */
static enum qd_status check_claims(const struct reading *reading, struct qd_error *error)
{
    for (size_t i = 0; i < reading->count; i++)
        if (!reading->claimed[i])
            return qd_fail(error, QD_INVALID, "%s/%s: of no case in " QD_PACK_INDEX, reading->path,
                           reading->entries[i].path);
    return QD_OK;
}

static bool is_listed(const struct reading *reading, const char *path)
{
    size_t at = lower_bound(reading, path);

    return strcmp(path, QD_PACK_MANIFEST) == 0 ||
           (at < reading->count && strcmp(reading->entries[at].path, path) == 0);
}

static enum qd_status check_tree(const struct reading *reading, struct qd_error *error)
{
    char *root = qd_arena_printf(reading->arena, "%s/.", reading->path);
    char *paths[] = {root, NULL};
    FTS *walk = root ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    enum qd_status status = QD_OK;

    if (!walk)
        return qd_fail(error, QD_NO_MEMORY, "%s: no memory to walk over it", reading->path);
    for (const FTSENT *at; status == QD_OK && (at = fts_read(walk));) {
        const char *name = at->fts_level > 0 ? at->fts_path + strlen(root) + 1 : ".";
        if (at->fts_info == FTS_F && !is_listed(reading, name))
            status =
                qd_fail(error, QD_INVALID, "%s/%s: not in " QD_PACK_MANIFEST, reading->path, name);
        else if (at->fts_info != FTS_F && at->fts_info != FTS_D && at->fts_info != FTS_DP)
            status = qd_fail(error, QD_INVALID, "%s/%s: neither a directory nor a regular file",
                             reading->path, name);
    }
    fts_close(walk);
    return status;
}

static enum qd_status visit_all(struct reading *reading, struct qd_error *error)
{
    char *text = NULL, *rest, *line;
    size_t number = 1;
    enum qd_status status = read_manifest(reading, error);

    if (status == QD_OK)
        status = check_tree(reading, error);
    if (status == QD_OK)
        status = read_index(reading, &text, error);
    if (status != QD_OK || !text)
        return status;
    for (line = strtok_r(text, "\n", &rest);
         line && status == QD_OK && reading->answer == QD_VISIT_GO_ON;
         line = strtok_r(NULL, "\n", &rest), number++)
        status = take_line(reading, line, number, error);
    return status == QD_OK && reading->answer == QD_VISIT_GO_ON ? check_claims(reading, error)
                                                                : status;
}

enum qd_status qd_pack_visit(const char *path, enum qd_level level, qd_case_visitor *visit,
                             void *context, struct qd_error *error)
{
    struct qd_arena arena;
    struct reading reading = {.path = path,
                              .arena = &arena,
                              .level = level,
                              .visit = visit,
                              .context = context,
                              .answer = QD_VISIT_GO_ON};

    qd_arena_init(&arena, (size_t)1 << 30);
    qd_arena_init(&reading.files, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = visit_all(&reading, error);
    qd_arena_clear(&reading.files);
    qd_arena_clear(&arena);
    return status;
}
