/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a pack: cases as directories, an index, a manifest. */
#define _GNU_SOURCE /* nftw, syncfs */
#include "pack/pack.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest/array.h"
#include "qdiff/memory_stream.h"
#include "qdiff_version.h"
#include "text/json_write.h"

static enum qd_status no_memory(const struct qd_pack *pack, struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "%s: no memory for the pack", pack->path);
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Unlike qd_file_write it does not sync: the pack gets its name when all is on the disk. */
static enum qd_status write_file(const char *path, const void *bytes, size_t size,
                                 struct qd_error *error)
{
    FILE *file = fopen(path, "wxe");

    if (!file)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot create: %s", path,
                       strerror(errno));
    bool failed = fwrite(bytes, 1, size, file) != size;
    failed = fclose(file) != 0 || failed;
    return failed ? qd_fail(error, qd_status_of_errno(errno), "%s: cannot write: %s", path,
                            strerror(errno))
                  : QD_OK;
}

static enum qd_status make_directory(const struct qd_pack *pack, const char *below,
                                     struct qd_error *error)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", pack->partial, below);
    return mkdir(path, 0777) == 0 ? QD_OK
                                  : qd_fail(error, qd_status_of_errno(errno),
                                            "%s: cannot create: %s", path, strerror(errno));
}

static enum qd_status add_entry(struct qd_pack *pack, const char *path, struct qd_digest digest,
                                struct qd_error *error)
{
    const char *kept = qd_arena_string(&pack->arena, path);

    struct qd_pack_entry *entries =
        qd_array_grow(pack->entries, pack->entry_count, &pack->capacity, sizeof *entries);

    if (entries)
        pack->entries = entries;
    if (!entries || !kept)
        return no_memory(pack, error);
    pack->entries[pack->entry_count++] = (struct qd_pack_entry){kept, digest};
    return QD_OK;
}

static enum qd_status add_file(struct qd_pack *pack, const char *directory,
                               const struct qd_case_file *file, struct qd_error *error)
{
    char path[4096];
    size_t skipped = strlen(pack->partial) + 1;

    snprintf(path, sizeof path, "%s/%s/%s", pack->partial, directory, file->path);
    enum qd_status status = write_file(path, file->bytes, file->size, error);
    return status == QD_OK
               ? add_entry(pack, path + skipped, qd_digest_of(file->bytes, file->size), error)
               : status;
}

/* --- Beginning -------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static enum qd_status check_place(const char *path, struct qd_error *error)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return QD_OK;
    if (!S_ISDIR(info.st_mode) || rmdir(path) != 0)
        return qd_fail(error, QD_USAGE, "%s: exists already", path);
    return QD_OK;
}

static void write_header(const struct qd_pack *pack, enum qd_level level)
{
    struct qd_json json;

    qd_json_begin(&json, pack->index);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "record", "pack");
    qd_json_int(&json, "schema", QD_PACK_SCHEMA);
    qd_json_string(&json, "version", QD_VERSION);
    qd_json_string(&json, "level", qd_level_word(level));
    qd_json_close(&json, '}');
    fputc('\n', pack->index);
}

static enum qd_status make_partial(struct qd_pack *pack, struct qd_error *error)
{
    char path[4096];

    if (!mkdtemp(strcpy(path, pack->partial)))
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot create: %s", path,
                       strerror(errno));
    chmod(path, 0755);
    pack->partial = qd_arena_string(&pack->arena, path);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", QD_PACK_INDEX);
    pack->index = fopen(path, "wxe");
    return pack->partial && pack->index ? QD_OK
                                        : qd_fail(error, qd_status_of_errno(errno),
                                                  "%s: cannot create: %s", path, strerror(errno));
}

enum qd_status qd_pack_begin(const char *path, enum qd_level level, struct qd_pack *pack,
                             struct qd_error *error)
{
    struct qd_pack begun = {.path = path};
    size_t length = strlen(path);
    enum qd_status status = check_place(path, error);

    if (status != QD_OK)
        return status;
    qd_arena_init(&begun.arena, QD_ARENA_DEFAULT_BUDGET);
    while (length > 1 && path[length - 1] == '/')
        length--;
    begun.path = qd_arena_printf(&begun.arena, "%.*s", (int)length, path);
    begun.partial = qd_arena_printf(&begun.arena, "%.*s.partial-XXXXXX", (int)length, path);
    if (!begun.path || !begun.partial || length > 2000)
        status = qd_fail(error, QD_LIMIT, "%.80s: the path is too long", path);
    else
        status = make_partial(&begun, error);
    if (status == QD_OK) {
        write_header(&begun, level);
        status = make_directory(&begun, "node", error);
    }
    if (status == QD_OK)
        status = make_directory(&begun, "latitude", error);
    if (status == QD_OK)
        status = make_directory(&begun, "reject", error);
    if (status != QD_OK) {
        qd_pack_end(&begun);
        return status;
    }
    *pack = begun;
    return QD_OK;
}

/* --- Cases ------------------------------------------------------------------------------------ */

void qd_pack_name(const char *kind, const char *id, char name[QD_PACK_NAME])
{
    struct qd_digest digest = qd_digest_of_text(id);
    int used = snprintf(name, QD_PACK_NAME - 10, "%s/test_%s", kind, id);

    used = used < QD_PACK_NAME - 10 ? used : QD_PACK_NAME - 11;
    for (char *c = name + strlen(kind) + 1; *c != '\0'; c++)
        *c = isalnum((unsigned char)*c) || strchr("-.", *c) ? *c : '_';
    char hash[QD_DIGEST_TEXT];
    qd_digest_write(&digest, hash);
    snprintf(name + used, QD_PACK_NAME - (size_t)used, "_%.8s", hash);
}

static bool has_latitude(const struct qd_observation *seen)
{
    return seen->unspecified || seen->lo < seen->hi || (seen->nan && seen->lo == seen->hi);
}

static bool value_has_latitude(const struct qd_value *value)
{
    for (int64_t i = 0; i < value->want.count; i++) {
        struct qd_observation seen = qd_value_observe(value, i);

        if (has_latitude(&seen))
            return true;
    }
    return false;
}

static const char *kind_of(const struct qd_evaluated *evaluated)
{
    const struct qd_case *kase = evaluated->kase;

    if (kase->expect == QD_EXPECT_MUST_REJECT)
        return "reject";
    for (size_t i = 0; i < kase->graph->output_count; i++)
        if (value_has_latitude(&evaluated->values[i]))
            return "latitude";
    return "node";
}

static void set_number(struct qd_tensor *tensor, int64_t i, double number)
{
    ((double *)tensor->data)[i] = number;
}

/* The admissible set of each element as three tensors; true in *any_open if some element is open. */
static void fill_intervals(const struct qd_value *value, struct qd_tensor *lo, struct qd_tensor *hi,
                           struct qd_tensor *open, bool *any_open)
{
    *any_open = false;
    for (int64_t i = 0; i < value->want.count; i++) {
        struct qd_observation seen = qd_value_observe(value, i);
        bool only_nan = seen.nan && seen.lo > seen.hi;

        set_number(lo, i, only_nan ? (double)NAN : seen.lo);
        set_number(hi, i, only_nan ? (double)NAN : seen.hi);
        qd_tensor_set(open, i, seen.unspecified);
        *any_open = *any_open || seen.unspecified;
    }
}

static enum qd_status add_side_car(struct qd_pack *pack, const char *directory,
                                   const struct qd_tensor *tensor, const char *kind, size_t output,
                                   struct qd_arena *arena, struct qd_error *error)
{
    char path[64], name[32];
    struct qd_case_file file = {.path = path};

    snprintf(path, sizeof path, QD_CASE_DATA_SET "/%s_%zu.pb", kind, output);
    snprintf(name, sizeof name, "%s_%zu", kind, output);
    uint8_t *bytes;
    enum qd_status status = qd_tensor_encode(tensor, name, arena, &bytes, &file.size, error);
    file.bytes = bytes;
    return status == QD_OK ? add_file(pack, directory, &file, error) : status;
}

static enum qd_status add_intervals(struct qd_pack *pack, const char *directory,
                                    const struct qd_value *value, size_t output,
                                    struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_tensor *want = &value->want;
    struct qd_tensor lo, hi, open;
    enum qd_status status = qd_tensor_init(&lo, arena, QD_F64, want->rank, want->dims, error);

    if (status == QD_OK)
        status = qd_tensor_init(&hi, arena, QD_F64, want->rank, want->dims, error);
    if (status == QD_OK)
        status = qd_tensor_init(&open, arena, QD_U8, want->rank, want->dims, error);
    if (status != QD_OK)
        return status;
    bool any_open;
    fill_intervals(value, &lo, &hi, &open, &any_open);
    status = add_side_car(pack, directory, &lo, "lo", output, arena, error);
    if (status == QD_OK)
        status = add_side_car(pack, directory, &hi, "hi", output, arena, error);
    if (status == QD_OK && any_open)
        status = add_side_car(pack, directory, &open, "open", output, arena, error);
    return status;
}

/* For ONNX's own runner, which otherwise takes what is nearly right. */
static enum qd_status add_tolerance(struct qd_pack *pack, const char *directory,
                                    struct qd_error *error)
{
    static const char text[] = "{\"rtol\": 0, \"atol\": 0}\n";
    struct qd_case_file file = {"data.json", (const uint8_t *)text, sizeof text - 1};

    return add_file(pack, directory, &file, error);
}

static enum qd_status add_files(struct qd_pack *pack, const char *directory,
                                const struct qd_evaluated *evaluated, struct qd_arena *arena,
                                struct qd_error *error)
{
    const struct qd_case *kase = evaluated->kase;
    const struct qd_case_file *files;
    size_t count;
    enum qd_status status = qd_case_files(kase, evaluated->shapes, arena, &files, &count, error);

    for (size_t i = 0; status == QD_OK && i < count; i++)
        status = add_file(pack, directory, &files[i], error);
    if (status == QD_OK && strncmp(directory, "node/", 5) == 0)
        status = add_tolerance(pack, directory, error);
    for (size_t i = 0; status == QD_OK && evaluated->values && i < kase->graph->output_count; i++)
        if (value_has_latitude(&evaluated->values[i]))
            status = add_intervals(pack, directory, &evaluated->values[i], i, arena, error);
    return status;
}

static void write_tensors(struct qd_json *json, const char *key, const struct qd_case *kase,
                          const int *values, const struct qd_tensor *tensors, size_t count)
{
    char shape[160], text[480];

    qd_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.300s %s", kase->graph->values[values[i]].name,
                 qd_tensor_describe(&tensors[i], shape, sizeof shape));
        qd_json_string(json, NULL, text);
    }
    qd_json_close(json, ']');
}

static void write_words(struct qd_json *json, const struct qd_evaluated *evaluated)
{
    qd_json_open(json, "features", '[');
    for (int i = 0; i < QD_FEATURE_COUNT; i++)
        if (qd_features_has(&evaluated->features, (enum qd_feature)i))
            qd_json_string(json, NULL, qd_feature_word((enum qd_feature)i));
    qd_json_close(json, ']');
    qd_json_open(json, "tags", '[');
    for (size_t i = 0; i < evaluated->kase->tag_count; i++)
        qd_json_string(json, NULL, evaluated->kase->tags[i]);
    qd_json_close(json, ']');
}

static void write_record(const struct qd_pack *pack, const char *name,
                         const struct qd_evaluated *evaluated, enum qd_level level)
{
    const struct qd_case *kase = evaluated->kase;
    struct qd_json json;

    qd_json_begin(&json, pack->index);
    qd_json_open(&json, NULL, '{');
    qd_json_string(&json, "record", "case");
    qd_json_string(&json, "path", name);
    qd_json_string(&json, "id", kase->id);
    qd_json_string(&json, "level", qd_level_word(level));
    qd_json_string(&json, "op", kase->op);
    qd_json_int_if(&json, "opset", kase->opset);
    qd_json_string_if(&json, "rule", kase->rule);
    qd_json_string_if(&json, "twin", kase->twin);
    qd_json_string_if(&json, "issue", kase->issue);
    qd_json_string_if(&json, "spec", kase->spec);
    qd_json_string_if(&json, "note", kase->note);
    qd_json_string_if(&json, "generator", kase->generator);
    write_tensors(&json, "inputs", kase, kase->graph->inputs, kase->inputs, kase->input_count);
    if (evaluated->shapes) {
        write_tensors(&json, "outputs", kase, kase->graph->outputs, evaluated->shapes,
                      kase->graph->output_count);
    }
    write_words(&json, evaluated);
    qd_json_close(&json, '}');
    fputc('\n', pack->index);
}

/* Names that differ in case only would meet on some file systems. */
static enum qd_status claim_name(struct qd_pack *pack, const char *name, const char *id,
                                 struct qd_error *error)
{
    char lower[QD_PACK_NAME];

    for (size_t i = 0; i < sizeof lower; i++) {
        lower[i] = (char)tolower((unsigned char)name[i]);
        if (name[i] == '\0')
            break;
    }
    struct qd_digest digest = qd_digest_of_text(lower);
    if (qd_digest_map_get(&pack->names, &digest))
        return qd_fail(error, QD_INTERNAL, "%s: another case of the pack is called %s", id, name);
    return qd_digest_map_put(&pack->names, &digest, 0, error);
}

static void count_kind(struct qd_pack *pack, const char *kind)
{
    pack->cases++;
    pack->node += kind[0] == 'n';
    pack->latitude += kind[0] == 'l';
    pack->reject += kind[0] == 'r';
}

enum qd_status qd_pack_add(struct qd_pack *pack, const struct qd_evaluated *evaluated,
                           enum qd_level level, struct qd_arena *arena, struct qd_error *error)
{
    const struct qd_case *kase = evaluated->kase;
    const char *kind = kind_of(evaluated);
    char name[QD_PACK_NAME], set[QD_PACK_NAME + sizeof QD_CASE_DATA_SET];

    qd_pack_name(kind, kase->id, name);
    snprintf(set, sizeof set, "%s/%s", name, QD_CASE_DATA_SET);
    enum qd_status status = claim_name(pack, name, kase->id, error);
    if (status == QD_OK)
        status = make_directory(pack, name, error);
    if (status == QD_OK)
        status = make_directory(pack, set, error);
    if (status == QD_OK)
        status = add_files(pack, name, evaluated, arena, error);
    if (status == QD_OK) {
        write_record(pack, name, evaluated, level);
        count_kind(pack, kind);
    }
    return status;
}

/* --- Ending ----------------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b)
{
    const struct qd_pack_entry *left = a, *right = b;

    return strcmp(left->path, right->path);
}

static enum qd_status close_index(struct qd_pack *pack, struct qd_error *error)
{
    bool failed = ferror(pack->index) != 0;
    const char *path = qd_arena_printf(&pack->arena, "%s/%s", pack->partial, QD_PACK_INDEX);

    failed = fclose(pack->index) != 0 || failed;
    pack->index = NULL;
    if (failed || !path)
        return qd_fail(error, qd_status_of_errno(errno), "%s: cannot write the index: %s",
                       pack->path, strerror(errno));
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    uint8_t *bytes;
    size_t size;
    enum qd_status status =
        qd_file_read(path, QD_ARENA_DEFAULT_BUDGET, &arena, &bytes, &size, error);
    if (status == QD_OK)
        status = add_entry(pack, QD_PACK_INDEX, qd_digest_of(bytes, size), error);
    qd_arena_clear(&arena);
    return status;
}

static enum qd_status write_manifest(struct qd_pack *pack, struct qd_digest *manifest,
                                     struct qd_error *error)
{
    char digits[QD_DIGEST_TEXT];
    const char *path = qd_arena_printf(&pack->arena, "%s/%s", pack->partial, QD_PACK_MANIFEST);
    struct qd_memory_stream stream;

    if (!path || !qd_memory_open(&stream))
        return no_memory(pack, error);
    qsort(pack->entries, pack->entry_count, sizeof pack->entries[0], compare_paths);
    for (size_t i = 0; i < pack->entry_count; i++) {
        fprintf(stream.out, "%s  %s\n", qd_digest_write(&pack->entries[i].digest, digits),
                pack->entries[i].path);
    }
    if (!qd_memory_close(&stream))
        return no_memory(pack, error);
    *manifest = qd_digest_of(stream.text, stream.size);
    enum qd_status status = write_file(path, stream.text, stream.size, error);
    free(stream.text);
    return status;
}

/* All files at once: a sync for each of a hundred thousand would take minutes. */
static enum qd_status sync_partial(const struct qd_pack *pack, struct qd_error *error)
{
    int fd = open(pack->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool failed = fd < 0 || syncfs(fd) != 0;

    if (fd >= 0)
        close(fd);
    return failed ? qd_fail(error, qd_status_of_errno(errno), "%s: cannot sync: %s", pack->partial,
                            strerror(errno))
                  : QD_OK;
}

enum qd_status qd_pack_finish(struct qd_pack *pack, struct qd_digest *manifest,
                              struct qd_error *error)
{
    struct qd_digest digest;
    enum qd_status status = close_index(pack, error);

    if (status == QD_OK)
        status = write_manifest(pack, &digest, error);
    if (status == QD_OK)
        status = sync_partial(pack, error);
    if (status == QD_OK && rename(pack->partial, pack->path) != 0)
        status = qd_fail(error, qd_status_of_errno(errno), "%s: cannot take its name: %s",
                         pack->path, strerror(errno));
    if (status != QD_OK)
        return status;
    pack->partial = NULL;
    *manifest = digest;
    return QD_OK;
}

void qd_pack_end(struct qd_pack *pack)
{
    if (pack->index)
        fclose(pack->index);
    if (pack->partial)
        nftw(pack->partial, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(pack->entries);
    qd_digest_map_clear(&pack->names);
    qd_arena_clear(&pack->arena);
    *pack = (struct qd_pack){0};
}
