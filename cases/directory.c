/* SPDX-License-Identifier: Apache-2.0 */
/* Cases on disk: .qdcase files and ONNX's backend-test layout,
 *
 *   <case>/model.onnx                      the model's bytes
 *   <case>/qdiff.pb                        qdiff.Case without model and tensors: id, expectation, origin, tags
 *   <case>/test_data_set_0/input_<i>.pb    onnx.TensorProto, in the order of the graph's inputs
 *   <case>/test_data_set_0/output_<i>.pb
 *
 * A directory is read by joining its files to one serialised qdiff.Case, which is then decoded as any other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case.pb-c.h"
#include "case_codec.h"
#include "tensor_codec.h"
#include "unpack.h"

static bool has_suffix(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static enum qd_status no_room(struct qd_error *error, const char *path)
{
    return qd_fail(error, QD_NO_MEMORY, "%s: the memory budget is used up", path);
}

/* --- Loading ---------------------------------------------------------------------------------- */

/* The last component of a path without its suffix, with anything that an id may not hold replaced. */
static enum qd_status id_of_path(const char *path, struct qd_arena *arena, const char **id,
                                 struct qd_error *error)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    char *text = qd_arena_alloc(arena, end - start + 2);
    if (!text)
        return no_room(error, path);
    memcpy(text, path + start, end - start);
    if (has_suffix(text, ".onnx") && strlen(text) > 5)
        text[strlen(text) - 5] = '\0';
    for (char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~')
            *c = '_';
    *id = *text ? text : "unnamed";
    return QD_OK;
}

static enum qd_status load_file(const char *path, struct qd_arena *arena, struct qd_case *kase,
                                struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_file_read(path, QD_CASE_MAX_BYTES, arena, &bytes, &size, error);
    if (status != QD_OK)
        return status;
    status = qd_case_decode(bytes, size, arena, kase, error);
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "%s", path);
}

static enum qd_status load_model(const char *path, struct qd_arena *arena, struct qd_case *kase,
                                 struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    struct qd_case read;
    const char *id = NULL;
    enum qd_status status = qd_file_read(path, QD_CASE_MAX_BYTES, arena, &bytes, &size, error);
    if (status == QD_OK)
        status = id_of_path(path, arena, &id, error);
    if (status != QD_OK)
        return status;
    status = qd_case_from_model(bytes, size, arena, &read, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "%s", path);
    if (read.input_count > 0)
        return qd_fail(error, QD_USAGE,
                       "%s: the model reads %zu inputs ('%.60s' ...), and an .onnx file alone "
                       "gives none",
                       path, read.input_count, read.graph->values[read.graph->inputs[0]].name);
    read.id = id;
    *kase = read;
    return QD_OK;
}

/* Where the files of a case are: a list in memory, or a directory. */
struct source {
    const char *directory; /* errors name it */
    const char *set;       /* "test_data_set_0" */
    const struct qd_case_file *files;
    size_t count;
    bool listed;
};

/* A file's bytes, in the arena or the list's own; NULL when there is no such file. `name` as in struct qd_case_file. */
static enum qd_status get(const struct source *source, const char *name, const uint8_t **bytes,
                          size_t *size, struct qd_arena *arena, struct qd_error *error)
{
    *bytes = NULL;
    for (size_t i = 0; source->listed && i < source->count; i++)
        if (strcmp(source->files[i].path, name) == 0) {
            *bytes = source->files[i].bytes;
            *size = source->files[i].size;
        }
    if (source->listed)
        return QD_OK;
    const char *path = qd_arena_printf(arena, "%s/%s", source->directory, name);
    if (!path)
        return no_room(error, source->directory);
    if (!exists(path))
        return QD_OK;
    uint8_t *read;
    enum qd_status status = qd_file_read(path, QD_CASE_MAX_BYTES, arena, &read, size, error);
    if (status == QD_OK)
        *bytes = read;
    return status;
}

/* Appends a file as field `number`; *missing is set instead when there is no such file. */
static enum qd_status join_file(const struct source *source, const char *name, uint32_t number,
                                struct qd_wire_out *out, bool *missing, struct qd_error *error)
{
    const uint8_t *bytes;
    size_t size;
    enum qd_status status = get(source, name, &bytes, &size, out->arena, error);
    *missing = status == QD_OK && !bytes;
    if (status == QD_OK && bytes)
        qd_wire_put_bytes(out, number, bytes, size);
    return status;
}

static enum qd_status join_tensors(const struct source *source, const char *kind, uint32_t number,
                                   struct qd_wire_out *out, struct qd_error *error)
{
    bool missing = false;
    for (size_t i = 0; !missing; i++) {
        const char *name = qd_arena_printf(out->arena, "%s/%s_%zu.pb", source->set, kind, i);
        if (!name)
            return no_room(error, source->directory);
        enum qd_status status = join_file(source, name, number, out, &missing, error);
        if (status != QD_OK)
            return status;
    }
    return QD_OK;
}

/* What stands for qdiff.pb where there is none. */
static enum qd_status join_default(const struct source *source, struct qd_wire_out *out,
                                   struct qd_error *error)
{
    struct qd_case metadata = qd_case_default();
    enum qd_status status = id_of_path(source->directory, out->arena, &metadata.id, error);
    if (status == QD_OK)
        qd_case_put_metadata(out, &metadata);
    return status;
}

/* Appends qdiff.pb, which is whole fields already. */
static enum qd_status join_metadata(const struct source *source, struct qd_wire_out *out,
                                    bool *computed_output, struct qd_error *error)
{
    const uint8_t *bytes;
    size_t size;
    ProtobufCMessage *message;
    *computed_output = false;
    enum qd_status status = get(source, "qdiff.pb", &bytes, &size, out->arena, error);
    if (status != QD_OK)
        return status;
    if (!bytes)
        return join_default(source, out, error);
    status = qd_unpack(&qdiff__case__descriptor, bytes, size, out->arena, &message, error);
    if (status != QD_OK)
        return qd_fail_context(error, status, "%s/qdiff.pb", source->directory);
    const Qdiff__Case *metadata = (const Qdiff__Case *)message;
    if (metadata->model || metadata->n_input > 0 || metadata->n_output > 0)
        return qd_fail(error, QD_INVALID,
                       "%s/qdiff.pb: holds a model or tensors, which are files of their own",
                       source->directory);
    *computed_output = metadata->computed_output;
    qd_wire_put_raw(out, bytes, size);
    return QD_OK;
}

static enum qd_status load_joined(const struct source *source, struct qd_arena *arena,
                                  struct qd_case *kase, struct qd_error *error)
{
    struct qd_wire_out out = {.arena = arena};
    bool computed_output = false, missing = false;
    enum qd_status status = join_metadata(source, &out, &computed_output, error);
    if (status == QD_OK)
        status = join_file(source, "model.onnx", QD_CASE_FIELD_MODEL, &out, &missing, error);
    if (status == QD_OK && missing)
        status =
            qd_fail(error, QD_IO, "%s/model.onnx: no such file; a case directory holds model.onnx",
                    source->directory);
    if (status == QD_OK)
        status = join_tensors(source, "input", QD_CASE_FIELD_INPUT, &out, error);
    if (status == QD_OK && !computed_output)
        status = join_tensors(source, "output", QD_CASE_FIELD_OUTPUT, &out, error);
    uint8_t *bytes;
    size_t size;
    if (status == QD_OK)
        status = qd_wire_finish(&out, &bytes, &size, error);
    if (status != QD_OK)
        return status;
    status = qd_case_decode(bytes, size, arena, kase, error);
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "%s", source->directory);
}

static enum qd_status load_directory(const char *path, struct qd_arena *arena, struct qd_case *kase,
                                     struct qd_error *error)
{
    char *directory = qd_arena_string(arena, path);
    if (!directory)
        return no_room(error, path);
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        directory[--length] = '\0';
    struct source source = {.directory = directory, .set = QD_CASE_DATA_SET};
    /* One data set of a case that has several: its model is one level up. */
    char *slash = strrchr(directory, '/');
    char *last = slash ? slash + 1 : directory;
    if (strncmp(last, "test_data_set_", 14) == 0) {
        source.set = last;
        source.directory = slash ? directory : ".";
        if (slash)
            *slash = '\0';
    }
    return load_joined(&source, arena, kase, error);
}

enum qd_status qd_case_of_files(const char *directory, const struct qd_case_file *files,
                                size_t count, struct qd_arena *arena, struct qd_case *kase,
                                struct qd_error *error)
{
    const struct source source = {directory, QD_CASE_DATA_SET, files, count, true};
    return load_joined(&source, arena, kase, error);
}

enum qd_status qd_case_load(const char *path, struct qd_arena *arena, struct qd_case *kase,
                            struct qd_error *error)
{
    if (is_directory(path))
        return load_directory(path, arena, kase, error);
    return has_suffix(path, ".onnx") ? load_model(path, arena, kase, error)
                                     : load_file(path, arena, kase, error);
}

/* --- Saving ----------------------------------------------------------------------------------- */

enum qd_status qd_case_save(const struct qd_case *kase, const char *path, struct qd_error *error)
{
    struct qd_arena arena;
    uint8_t *bytes;
    size_t size;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_case_encode(kase, &arena, &bytes, &size, error);
    if (status == QD_OK)
        status = qd_file_write(path, bytes, size, error);
    qd_arena_clear(&arena);
    return status;
}

static enum qd_status make_directory(const char *path, struct qd_error *error)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && is_directory(path)))
        return QD_OK;
    return qd_fail(error, qd_status_of_errno(errno), "%s: cannot create the directory: %s", path,
                   strerror(errno));
}

/* A directory may be replaced if it is a case; whatever else is there is somebody's. */
static enum qd_status claim_directory(const char *path, struct qd_arena *arena,
                                      struct qd_error *error)
{
    const char *model = qd_arena_printf(arena, "%s/model.onnx", path);
    if (!model)
        return no_room(error, path);
    if (exists(path) && !is_directory(path))
        return qd_fail(error, QD_USAGE, "%s: exists and is no directory", path);
    if (exists(path) && !exists(model) && rmdir(path) != 0)
        return qd_fail(error, QD_USAGE,
                       "%s: exists and is no case directory (it has no model.onnx)", path);
    return make_directory(path, error);
}

/* Files of a case as they are collected. */
struct collection {
    struct qd_case_file *files;
    size_t count;
};

/* Adds <set>/<kind>_<i>.pb for every tensor. */
static enum qd_status collect_tensors(const struct qd_tensor *tensors, size_t count,
                                      const int *values, const struct qd_case *kase,
                                      const char *kind, struct qd_arena *arena,
                                      struct collection *collection, struct qd_error *error)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *bytes;
        size_t size;
        const char *path = qd_arena_printf(arena, QD_CASE_DATA_SET "/%s_%zu.pb", kind, i);
        if (!path)
            return no_room(error, kind);
        enum qd_status status = qd_tensor_encode(&tensors[i], kase->graph->values[values[i]].name,
                                                 arena, &bytes, &size, error);
        if (status != QD_OK)
            return status;
        collection->files[collection->count++] = (struct qd_case_file){path, bytes, size};
    }
    return QD_OK;
}

static enum qd_status collect_metadata(const struct qd_case *kase, bool computed_output,
                                       struct qd_arena *arena, struct collection *collection,
                                       struct qd_error *error)
{
    struct qd_wire_out out = {.arena = arena};
    qd_case_put_metadata(&out, kase);
    if (computed_output)
        qd_wire_put_varint(&out, QD_CASE_FIELD_COMPUTED_OUTPUT, 1);
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_wire_finish(&out, &bytes, &size, error);
    if (status == QD_OK)
        collection->files[collection->count++] = (struct qd_case_file){"qdiff.pb", bytes, size};
    return status;
}

enum qd_status qd_case_files(const struct qd_case *kase, const struct qd_tensor *outputs,
                             struct qd_arena *arena, const struct qd_case_file **files,
                             size_t *count, struct qd_error *error)
{
    /* A fixture keeps its own outputs: they are part of the case, the reference's are not. */
    bool computed = kase->output_count == 0 && outputs;
    const struct qd_tensor *written = computed ? outputs : kase->stored_outputs;
    size_t written_count = computed ? kase->graph->output_count : kase->output_count;
    struct collection collection = {0};
    collection.files =
        qd_arena_array(arena, kase->input_count + written_count + 2, sizeof *collection.files);
    if (!collection.files)
        return no_room(error, kase->id);
    collection.files[collection.count++] =
        (struct qd_case_file){"model.onnx", kase->model, kase->model_size};
    enum qd_status status = collect_tensors(kase->inputs, kase->input_count, kase->graph->inputs,
                                            kase, "input", arena, &collection, error);
    if (status == QD_OK)
        status = collect_tensors(written, written_count, kase->graph->outputs, kase, "output",
                                 arena, &collection, error);
    if (status == QD_OK)
        status = collect_metadata(kase, computed, arena, &collection, error);
    if (status != QD_OK)
        return status;
    *files = collection.files;
    *count = collection.count;
    return QD_OK;
}

/* Removes <set>/<kind>_<i>.pb of an earlier, longer export, from number `first` on. */
static enum qd_status remove_tensors(const char *path, const char *kind, size_t first,
                                     struct qd_arena *arena, struct qd_error *error)
{
    for (size_t i = first;; i++) {
        const char *file =
            qd_arena_printf(arena, "%s/" QD_CASE_DATA_SET "/%s_%zu.pb", path, kind, i);
        if (!file)
            return no_room(error, path);
        if (unlink(file) != 0)
            return errno == ENOENT ? QD_OK
                                   : qd_fail(error, qd_status_of_errno(errno),
                                             "%s: cannot remove: %s", file, strerror(errno));
    }
}

static enum qd_status write_files(const struct qd_case_file *files, size_t count, const char *path,
                                  struct qd_arena *arena, struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < count; i++) {
        const char *file = qd_arena_printf(arena, "%s/%s", path, files[i].path);
        status =
            file ? qd_file_write(file, files[i].bytes, files[i].size, error) : no_room(error, path);
    }
    return status;
}

static enum qd_status export_into(const struct qd_case *kase, const char *path,
                                  const struct qd_tensor *outputs, struct qd_arena *arena,
                                  struct qd_error *error)
{
    const char *set = qd_arena_printf(arena, "%s/" QD_CASE_DATA_SET, path);
    size_t output_count = outputs ? kase->graph->output_count : kase->output_count;
    const struct qd_case_file *files = NULL;
    size_t count = 0;
    if (!set)
        return no_room(error, path);
    enum qd_status status = qd_case_files(kase, outputs, arena, &files, &count, error);
    if (status == QD_OK)
        status = claim_directory(path, arena, error);
    if (status == QD_OK)
        status = make_directory(set, error);
    if (status == QD_OK)
        status = write_files(files, count, path, arena, error);
    if (status == QD_OK)
        status = remove_tensors(path, "input", kase->input_count, arena, error);
    return status == QD_OK ? remove_tensors(path, "output", output_count, arena, error) : status;
}

enum qd_status qd_case_export(const struct qd_case *kase, const char *path,
                              const struct qd_tensor *outputs, struct qd_error *error)
{
    struct qd_arena arena;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = export_into(kase, path, outputs, &arena, error);
    qd_arena_clear(&arena);
    return status;
}
