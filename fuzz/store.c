/* SPDX-License-Identifier: Apache-2.0 */
/* The findings store: files that appear, change and go as a whole, under a lock. */
#include "qdiff/store.h"
#include "qdiff/memory_stream.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "qdiff_version.h"

#define SUFFIX ".finding"
#define FIRST_LINE "qdiff finding 1"
#define MAX_FILE (QD_CASE_MAX_BYTES + (1 << 20))
#define LONGEST_NAME 240

struct qd_store {
    char *path;
    int directory; /* for fsync */
    int lock;
};

static enum qd_status fail_errno(struct qd_error *error, const char *what, const char *path)
{
    return qd_fail(error, qd_status_of_errno(errno), "cannot %s %.160s: %s", what, path,
                   strerror(errno)); /* NOLINT(concurrency-mt-unsafe): one thread */
}

enum qd_status qd_record_make(const struct qd_case *kase, const char *signature, const char *target,
                              struct qd_arena *arena, struct qd_record *record,
                              struct qd_error *error)
{
    int64_t now = (int64_t)time(NULL);
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_case_encode(kase, arena, &bytes, &size, error);
    if (status == QD_OK)
        *record = (struct qd_record){.signature = signature,
                                     .cpu = "",
                                     .flags = "",
                                     .version = QD_VERSION,
                                     .first = now,
                                     .last = now,
                                     .count = 1,
                                     .sighting_count = 1,
                                     .sightings = {{target, now, now, 1}},
                                     .bytes = bytes,
                                     .size = size};
    return status;
}

/* --- The directory ------------------------------------------------------------------------------ */

enum qd_status qd_store_directory(struct qd_arena *arena, const char **path, struct qd_error *error)
{
    /* NOLINTBEGIN(concurrency-mt-unsafe) */
    const char *state = getenv("QDIFF_STATE"), *xdg = getenv("XDG_STATE_HOME"),
               *home = getenv("HOME");
    /* NOLINTEND(concurrency-mt-unsafe) */
    const char *made = NULL;
    if (state && *state)
        made = qd_arena_printf(arena, "%s/findings", state);
    else if (xdg && *xdg)
        made = qd_arena_printf(arena, "%s/qdiff/findings", xdg);
    else if (home && *home)
        made = qd_arena_printf(arena, "%s/.local/state/qdiff/findings", home);
    else
        return qd_fail(error, QD_USAGE,
                       "no place for findings: set QDIFF_STATE, XDG_STATE_HOME or HOME");
    if (!made)
        return qd_fail(error, QD_NO_MEMORY, "no room for the path of the findings");
    *path = made;
    return QD_OK;
}

/* The directory and those above it. */
static enum qd_status make_directories(const char *directory, struct qd_error *error)
{
    char path[PATH_MAX];
    size_t length = strlen(directory);
    if (length == 0 || length >= sizeof path - LONGEST_NAME - 32)
        return qd_fail(error, QD_IO, "%.80s: no usable path for findings", directory);
    for (size_t i = 1; i <= length; i++) {
        if (directory[i] != '/' && directory[i] != '\0')
            continue;
        memcpy(path, directory, i);
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST && errno != EISDIR && errno != EROFS)
            return fail_errno(error, "make the directory", path);
    }
    return QD_OK;
}

enum qd_status qd_store_open(const char *directory, struct qd_store **store, struct qd_error *error)
{
    enum qd_status status = make_directories(directory, error);
    if (status != QD_OK)
        return status;
    struct qd_store *made = malloc(sizeof *made);
    char *path = strdup(directory);
    if (!made || !path) {
        free(made);
        free(path);
        return qd_fail(error, QD_NO_MEMORY, "no room to open the findings");
    }
    *made = (struct qd_store){path, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), -1};
    if (made->directory < 0) {
        status = fail_errno(error, "open the directory", path);
        qd_store_close(made);
        return status;
    }
    *store = made;
    return QD_OK;
}

enum qd_status qd_store_open_pool(const char *directory, struct qd_store **pool,
                                  struct qd_error *error)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/raw", directory);
    return length < 0 || (size_t)length >= sizeof path
               ? qd_fail(error, QD_IO, "%.80s: no usable path for findings", directory)
               : qd_store_open(path, pool, error);
}

void qd_store_close(struct qd_store *store)
{
    if (store->directory >= 0)
        close(store->directory);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store);
}

/* --- Names -------------------------------------------------------------------------------------- */

static enum qd_status check_signature(const char *signature, struct qd_error *error)
{
    bool good = *signature && *signature != '.' && strlen(signature) < LONGEST_NAME;
    for (const char *at = signature; *at; at++)
        good = good && (isalnum((unsigned char)*at) || strchr("._+-", *at));
    return good ? QD_OK : qd_fail(error, QD_USAGE, "'%.80s' is no signature", signature);
}

static void path_of(const struct qd_store *store, const char *signature, char *path, size_t size)
{
    snprintf(path, size, "%s/%s" SUFFIX, store->path, signature);
}

static int is_finding(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), ending = strlen(SUFFIX);
    return length > ending && entry->d_name[0] != '.' &&
           strcmp(entry->d_name + length - ending, SUFFIX) == 0;
}

/* --- The lock ----------------------------------------------------------------------------------- */

/* What a writer that was killed left: nobody else writes while we hold the lock. */
static void sweep(const struct qd_store *store)
{
    DIR *directory = opendir(store->path);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name);
        if (strstr(entry->d_name, SUFFIX ".") && length > 4 &&
            strcmp(entry->d_name + length - 4, ".tmp") == 0)
            unlinkat(store->directory, entry->d_name, 0);
    }
    if (directory)
        closedir(directory);
}

static enum qd_status lock(struct qd_store *store, struct qd_error *error)
{
    bool first = store->lock < 0;
    if (first)
        store->lock =
            openat(store->directory, ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (store->lock < 0)
        return fail_errno(error, "write to", store->path);
    while (flock(store->lock, LOCK_EX) != 0)
        if (errno != EINTR)
            return fail_errno(error, "lock", store->path);
    if (first)
        sweep(store);
    return QD_OK;
}

static void unlock(struct qd_store *store)
{
    flock(store->lock, LOCK_UN);
}

/* --- Reading ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* The text after a key and a blank; NULL: another key. */
static char *value_of(char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/* Three numbers and a text. */
static bool read_sighting(const char *text, struct qd_record *record)
{
    int at = 0;
    struct qd_sighting s;
    if (record->sighting_count == QD_STORE_MAX_SIGHTINGS ||
        sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNu64 " %n", &s.first, &s.last, &s.count, &at) !=
            3 || /* NOLINT(cert-err34-c): a wrong number is no harm, torn files have another hash */
        at == 0)
        return false;
    s.target = text + at;
    record->sightings[record->sighting_count++] = s;
    return true;
}

/* One line before the case's. */
static bool read_line(char *line, struct qd_record *record)
{
    char *value;
    if ((value = value_of(line, "signature")))
        record->signature = value;
    else if ((value = value_of(line, "cpu")))
        record->cpu = value;
    else if ((value = value_of(line, "flags")))
        record->flags = value;
    else if ((value = value_of(line, "version")))
        record->version = value;
    else if ((value = value_of(line, "reduced")))
        record->reduced = strcmp(value, "yes") == 0;
    else if ((value = value_of(line, "seen")))
        return sscanf(value, "%" SCNd64 " %" SCNd64 " %" SCNu64, /* NOLINT(cert-err34-c) */
                      &record->first, &record->last, &record->count) == 3;
    else if ((value = value_of(line, "on")))
        return read_sighting(value, record);
    else
        return false;
    return true;
}

/* The last line of text: size and hash of all the text before it, and of the case after it. */
static bool read_case(const char *line, const uint8_t *text, size_t text_size, const uint8_t *bytes,
                      size_t size, struct qd_record *record)
{
    uint64_t said, hash, text_hash;
    if (sscanf(line, "case %" SCNu64 " %" SCNx64 " %" SCNx64, /* NOLINT(cert-err34-c) */
               &said, &hash, &text_hash) != 3)
        return false;
    record->bytes = bytes;
    record->size = size;
    return said == size && hash == hash_of(bytes, size) && text_hash == hash_of(text, text_size);
}

/* Takes a file apart. Its lines become texts of their own, so it is hashed from a copy. */
static bool parse(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                  struct qd_record *record)
{
    char *text = qd_arena_alloc(arena, size + 1);
    if (!text)
        return false;
    memcpy(text, bytes, size);
    text[size] = '\0';
    *record = (struct qd_record){.signature = "", .cpu = "", .flags = "", .version = ""};
    for (size_t at = 0, line = 0; at < size; line++) {
        char *end = memchr(text + at, '\n', size - at);
        if (!end)
            return false;
        size_t next = (size_t)(end - text) + 1;
        *end = '\0';
        if (strncmp(text + at, "case ", 5) == 0)
            return read_case(text + at, bytes, at, bytes + next, size - next, record);
        if (line == 0 ? strcmp(text, FIRST_LINE) != 0 : !read_line(text + at, record))
            return false;
        at = next;
    }
    return false;
}

enum qd_status qd_record_decode(const uint8_t *bytes, size_t size, struct qd_arena *arena,
                                struct qd_record *record, struct qd_error *error)
{
    struct qd_record read;
    if (!parse(bytes, size, arena, &read))
        return qd_fail(error, QD_MALFORMED, "not a whole finding; move it away");
    *record = read;
    return QD_OK;
}

static enum qd_status read_finding(const char *path, struct qd_arena *arena,
                                   struct qd_record *record, struct qd_error *error)
{
    uint8_t *bytes;
    size_t size;
    enum qd_status status = qd_file_read(path, MAX_FILE, arena, &bytes, &size, error);
    if (status != QD_OK)
        return status;
    status = qd_record_decode(bytes, size, arena, record, error);
    return status == QD_OK ? QD_OK : qd_fail_context(error, status, "%.200s", path);
}

enum qd_status qd_store_get(struct qd_store *store, const char *signature, struct qd_arena *arena,
                            struct qd_record *record, struct qd_error *error)
{
    char path[PATH_MAX];
    enum qd_status status = check_signature(signature, error);
    if (status != QD_OK)
        return status;
    path_of(store, signature, path, sizeof path);
    if (access(path, F_OK) != 0)
        return qd_fail(error, QD_USAGE, "no finding %.120s in %.120s", signature, store->path);
    return read_finding(path, arena, record, error);
}

/* --- Writing ------------------------------------------------------------------------------------ */

/* A text on a line: what would end it becomes a blank. */
static void put_line(FILE *out, const char *key, const char *text)
{
    fprintf(out, "%s ", key);
    for (; text && *text; text++)
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
    fputc('\n', out);
}

static void put_text(FILE *out, const struct qd_record *record)
{
    fputs(FIRST_LINE "\n", out);
    put_line(out, "signature", record->signature);
    fprintf(out, "seen %" PRId64 " %" PRId64 " %" PRIu64 "\n", record->first, record->last,
            record->count);
    put_line(out, "cpu", record->cpu);
    put_line(out, "flags", record->flags);
    put_line(out, "version", record->version);
    put_line(out, "reduced", record->reduced ? "yes" : "no");
    for (size_t i = 0; i < record->sighting_count; i++) {
        const struct qd_sighting *s = &record->sightings[i];
        fprintf(out, "on %" PRId64 " %" PRId64 " %" PRIu64, s->first, s->last, s->count);
        put_line(out, "", s->target);
    }
}

enum qd_status qd_record_encode(const struct qd_record *record, struct qd_arena *arena,
                                uint8_t **bytes, size_t *size, struct qd_error *error)
{
    struct qd_memory_stream stream;
    bool whole = qd_memory_open(&stream), hashed = false;
    if (whole) {
        put_text(stream.out, record);
        hashed = fflush(stream.out) == 0; /* else stream.text is not what was written */
        fprintf(stream.out, "case %zu %016" PRIx64 " %016" PRIx64 "\n", record->size,
                hash_of(record->bytes, record->size),
                hash_of((const uint8_t *)stream.text, stream.size));
        fwrite(record->bytes, 1, record->size, stream.out);
        whole = qd_memory_close(&stream);
    }
    uint8_t *copy = whole && hashed ? qd_arena_copy(arena, stream.text, stream.size) : NULL;
    if (whole)
        free(stream.text);
    if (!copy)
        return qd_fail(error, QD_NO_MEMORY, "no room to write a finding");
    *bytes = copy;
    *size = stream.size;
    return QD_OK;
}

static enum qd_status write_finding(const struct qd_store *store, const struct qd_record *record,
                                    struct qd_arena *arena, struct qd_error *error)
{
    char path[PATH_MAX];
    uint8_t *bytes = NULL;
    size_t size = 0;
    enum qd_status status = qd_record_encode(record, arena, &bytes, &size, error);
    if (status != QD_OK)
        return status;
    path_of(store, record->signature, path, sizeof path);
    status = qd_file_write(path, bytes, size, error);
    if (status == QD_OK && fsync(store->directory) != 0)
        status = fail_errno(error, "sync", store->path);
    return status;
}

/* --- Joining ------------------------------------------------------------------------------------ */

static void join_sighting(struct qd_record *record, const struct qd_sighting *seen)
{
    struct qd_sighting *at = record->sightings;
    size_t i = 0;
    while (i < record->sighting_count && strcmp(at[i].target, seen->target) != 0)
        i++;
    if (i < record->sighting_count) {
        at[i].first = seen->first < at[i].first ? seen->first : at[i].first;
        at[i].last = seen->last > at[i].last ? seen->last : at[i].last;
        at[i].count += seen->count;
        return;
    }
    if (record->sighting_count == QD_STORE_MAX_SIGHTINGS) { /* the one seen longest ago goes */
        size_t oldest = 0;
        for (size_t j = 1; j < record->sighting_count; j++)
            oldest = at[j].last < at[oldest].last ? j : oldest;
        record->sighting_count--;
        memmove(&at[oldest], &at[oldest + 1], (record->sighting_count - oldest) * sizeof *at);
    }
    at[record->sighting_count++] = *seen;
}

static void join(struct qd_record *record, const struct qd_record *seen)
{
    record->first = seen->first < record->first ? seen->first : record->first;
    record->last = seen->last > record->last ? seen->last : record->last;
    record->count += seen->count;
    record->cpu = seen->cpu;
    record->flags = seen->flags;
    record->version = seen->version;
    for (size_t i = 0; i < seen->sighting_count; i++)
        join_sighting(record, &seen->sightings[i]);
    if (seen->reduced == record->reduced ? seen->size < record->size : seen->reduced) {
        record->reduced = seen->reduced;
        record->bytes = seen->bytes;
        record->size = seen->size;
    }
}

static enum qd_status add_locked(struct qd_store *store, const struct qd_record *seen,
                                 struct qd_arena *arena, struct qd_error *error)
{
    char path[PATH_MAX];
    struct qd_record record = *seen;
    path_of(store, seen->signature, path, sizeof path);
    if (access(path, F_OK) == 0) {
        enum qd_status status = read_finding(path, arena, &record, error);
        if (status != QD_OK)
            return status;
        join(&record, seen);
    }
    return write_finding(store, &record, arena, error);
}

enum qd_status qd_store_add(struct qd_store *store, const struct qd_record *seen,
                            struct qd_error *error)
{
    struct qd_arena arena;
    enum qd_status status = check_signature(seen->signature, error);
    if (status == QD_OK)
        status = lock(store, error);
    if (status != QD_OK)
        return status;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    status = add_locked(store, seen, &arena, error);
    qd_arena_clear(&arena);
    unlock(store);
    return status;
}

enum qd_status qd_store_forget(struct qd_store *store, const char *signature,
                               struct qd_error *error)
{
    char path[PATH_MAX];
    enum qd_status status = check_signature(signature, error);
    if (status == QD_OK)
        status = lock(store, error);
    if (status != QD_OK)
        return status;
    path_of(store, signature, path, sizeof path);
    if (unlink(path) != 0)
        status = errno == ENOENT ? qd_fail(error, QD_USAGE, "no finding %.120s in %.120s",
                                           signature, store->path)
                                 : fail_errno(error, "remove", path);
    else if (fsync(store->directory) != 0)
        status = fail_errno(error, "sync", store->path);
    unlock(store);
    return status;
}

/* --- Visiting ----------------------------------------------------------------------------------- */

static bool visit_one(struct qd_store *store, const char *name, qd_store_visitor *visit,
                      void *context)
{
    char path[PATH_MAX];
    struct qd_arena arena;
    struct qd_record record;
    struct qd_error problem = {.status = QD_OK};
    snprintf(path, sizeof path, "%s/%s", store->path, name);
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    bool read = read_finding(path, &arena, &record, &problem) == QD_OK;
    bool go_on = visit(context, read ? &record : NULL, read ? NULL : &problem);
    qd_arena_clear(&arena);
    return go_on;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum qd_status qd_store_visit(struct qd_store *store, qd_store_visitor *visit, void *context,
                              struct qd_error *error)
{
    struct dirent **entries;
    int count = scandir(store->path, &entries, is_finding, by_name);
    bool go_on = true;
    if (count < 0)
        return fail_errno(error, "list", store->path);
    for (int i = 0; i < count; i++) {
        go_on = go_on && visit_one(store, entries[i]->d_name, visit, context);
        free(entries[i]);
    }
    free(entries);
    return QD_OK;
}
