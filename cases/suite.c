/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "after_steps.h"
#include "one_element.h"
#include "other_shapes.h"
#include "qdiff/evaluate.h"
#include "rewritten.h"

#define QD_FAMILY(file) extern const struct qd_family qd_family_##file;
#include "qdiff/families.def"
#undef QD_FAMILY

static const struct qd_family *const families[] = {
#define QD_FAMILY(file) &qd_family_##file,
#include "qdiff/families.def"
#undef QD_FAMILY
};

static const char *const level_words[QD_LEVEL_COUNT] = {"smoke", "full", "exhaustive"};

const struct qd_family *qd_family_at(size_t i)
{
    return i < sizeof families / sizeof *families ? families[i] : NULL;
}

bool qd_family_has_id(const char *name, const char *id)
{
    size_t length = strlen(name);
    return strncmp(id, name, length) == 0 && id[length] == '/';
}

const char *qd_level_word(enum qd_level level)
{
    return level_words[level];
}

bool qd_level_find(const char *word, enum qd_level *level)
{
    for (int i = 0; i < QD_LEVEL_COUNT; i++)
        if (strcmp(word, level_words[i]) == 0) {
            *level = (enum qd_level)i;
            return true;
        }
    return false;
}

/* --- Hand-written cases ----------------------------------------------------------------------- */

struct entry {
    struct entry *next;
    const char *path, *id;
    bool refused; /* has to be */
};

struct listing {
    struct qd_arena *arena; /* entries and texts */
    struct entry *entries;
    size_t count;
    struct qd_error *error;
};

static enum qd_status out_of_memory(struct qd_error *error, const char *path)
{
    return qd_fail(error, QD_NO_MEMORY, "%s: the memory budget is used up", path);
}

/* Notes the file and its id; the case itself is read again when it is its turn. */
static enum qd_status list_file(struct listing *listing, const char *path)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_case_load(path, &arena, &kase, listing->error);
    struct entry *entry = qd_arena_alloc(listing->arena, sizeof *entry);
    if (status == QD_OK && entry) {
        entry->path = path;
        entry->id = qd_arena_string(listing->arena, kase.id);
        entry->refused = kase.expect == QD_EXPECT_MUST_REJECT;
        entry->next = listing->entries;
        listing->entries = entry;
        listing->count++;
    }
    if (status == QD_OK && (!entry || !entry->id))
        status = out_of_memory(listing->error, path);
    qd_arena_clear(&arena);
    return status;
}

/* A loop of symbolic links ends here. */
#define MAX_DIRECTORY_DEPTH 16

static enum qd_status list_directory(struct listing *listing, const char *path, unsigned depth);

static enum qd_status list_entry(struct listing *listing, const char *directory, const char *name,
                                 unsigned depth)
{
    struct stat info;
    const char *path = qd_arena_printf(listing->arena, "%s/%s", directory, name);
    if (!path)
        return out_of_memory(listing->error, directory);
    if (stat(path, &info) != 0)
        return qd_fail(listing->error, qd_status_of_errno(errno), "%s: cannot examine: %s", path,
                       strerror(errno));
    if (S_ISDIR(info.st_mode))
        return list_directory(listing, path, depth + 1);
    size_t length = strlen(name);
    bool is_case = length > 7 && strcmp(name + length - 7, ".qdcase") == 0;
    return is_case ? list_file(listing, path) : QD_OK;
}

static enum qd_status list_directory(struct listing *listing, const char *path, unsigned depth)
{
    if (depth > MAX_DIRECTORY_DEPTH)
        return qd_fail(listing->error, QD_LIMIT, "%s: directories nest more than %d deep", path,
                       MAX_DIRECTORY_DEPTH);
    DIR *directory = opendir(path);
    if (!directory)
        return qd_fail(listing->error, qd_status_of_errno(errno), "%s: cannot open: %s", path,
                       strerror(errno));
    enum qd_status status = QD_OK;
    for (struct dirent *entry; status == QD_OK && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            status = list_entry(listing, path, entry->d_name, depth);
    closedir(directory);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    return strcmp(left->id, right->id);
}

struct qd_case_index {
    const struct entry *entries; /* sorted by id */
    size_t count;
};

static enum qd_status sort_entries(struct listing *listing, struct qd_case_index *index)
{
    struct entry *array = qd_arena_array(listing->arena, listing->count, sizeof *array);
    if (!array)
        return qd_fail(listing->error, QD_NO_MEMORY, "no room for a list of %zu cases",
                       listing->count);
    size_t n = 0;
    for (const struct entry *entry = listing->entries; entry; entry = entry->next)
        array[n++] = *entry;
    qsort(array, n, sizeof *array, compare_ids);
    for (size_t i = 1; i < n; i++)
        if (strcmp(array[i - 1].id, array[i].id) == 0)
            return qd_fail(listing->error, QD_INVALID, "%s and %s have the same id '%s'",
                           array[i - 1].path, array[i].path, array[i].id);
    *index = (struct qd_case_index){array, n};
    return QD_OK;
}

static enum qd_status read_index(const char *cases_dir, struct qd_arena *arena,
                                 struct qd_case_index *index, struct qd_error *error)
{
    struct listing listing = {.arena = arena, .error = error};
    enum qd_status status = list_directory(&listing, cases_dir, 1);
    return status == QD_OK ? sort_entries(&listing, index) : status;
}

enum qd_status qd_case_index_make(const char *cases_dir, struct qd_arena *arena,
                                  const struct qd_case_index **index, struct qd_error *error)
{
    struct qd_case_index *made = qd_arena_alloc(arena, sizeof *made);
    if (!made)
        return out_of_memory(error, cases_dir);
    enum qd_status status = read_index(cases_dir, arena, made, error);
    if (status == QD_OK)
        *index = made;
    return status;
}

const char *qd_case_index_find(const struct qd_case_index *index, const char *id)
{
    const struct entry key = {.id = id};
    const struct entry *found =
        bsearch(&key, index->entries, index->count, sizeof key, compare_ids);
    return found ? found->path : NULL;
}

/* The caller's visitor, remembering that it wanted to stop. */
struct relay {
    qd_case_visitor *visit;
    void *context;
    bool stopped;
};

static enum qd_visit relay_case(void *context, const struct qd_case *kase)
{
    struct relay *relay = context;
    enum qd_visit answer = relay->visit(relay->context, kase);
    relay->stopped = relay->stopped || answer == QD_VISIT_STOP;
    return answer;
}

static enum qd_status visit_entry(const struct entry *entry, struct relay *relay,
                                  struct qd_error *error)
{
    struct qd_arena arena;
    struct qd_case kase;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = qd_case_load(entry->path, &arena, &kase, error);
    if (status == QD_OK)
        relay_case(relay, &kase);
    qd_arena_clear(&arena);
    return status;
}

static bool enter(const struct qd_suite_options *options)
{
    return !options->enter || options->enter(options->enter_context);
}

/* The valid ones are one part. */
static enum qd_status visit_valid(const struct qd_suite_options *options,
                                  const struct qd_case_index *index, struct relay *relay,
                                  struct qd_error *error)
{
    enum qd_status status = QD_OK;
    bool entered = enter(options);
    for (size_t i = 0; status == QD_OK && entered && i < index->count && !relay->stopped; i++)
        if (!index->entries[i].refused)
            status = visit_entry(&index->entries[i], relay, error);
    return status;
}

/* Whether two ids agree in their first two words, as "reject/Conv/strides-positive/zero" and "reject/Conv/..." do. */
static bool are_of_one_table(const char *a, const char *b)
{
    unsigned slashes = 0;
    for (; *a && *a == *b && slashes < 2; a++, b++)
        slashes += *a == '/';
    return slashes == 2;
}

/* Each table of cases to be refused is a part. */
static enum qd_status visit_refused(const struct qd_suite_options *options,
                                    const struct qd_case_index *index, struct relay *relay,
                                    struct qd_error *error)
{
    const char *last = "";
    bool entered = false;
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && i < index->count && !relay->stopped; i++) {
        const struct entry *entry = &index->entries[i];
        if (!entry->refused)
            continue;
        if (!are_of_one_table(last, entry->id))
            entered = enter(options);
        last = entry->id;
        if (entered)
            status = visit_entry(entry, relay, error);
    }
    return status;
}

/* The visitor of generated cases: after some of them come twins. */
struct twins {
    struct relay *relay;
    struct qd_rewritings *rewritings; /* NULL: this level has none */
    struct qd_arena arena;
    enum qd_status status;
    struct qd_error *error;
};

typedef enum qd_status make_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                 struct qd_case *twin, struct qd_error *error);

static bool is_word(const char *(*word)(size_t i), const char *text, size_t length)
{
    for (size_t i = 0; word(i); i++)
        if (strlen(word(i)) == length && strncmp(word(i), text, length) == 0)
            return true;
    return false;
}

bool qd_case_id_of_base(const char *id, char *base, size_t size)
{
    const char *hash = strrchr(id, '/'), *end = hash ? hash : id + strlen(id), *dash = end;
    while (dash > id && *dash != '-')
        dash--;
    *base = '\0';
    if (*dash != '-' || (!is_word(qd_after_steps_word, dash + 1, (size_t)(end - dash - 1)) &&
                         !is_word(qd_other_shapes_word, dash + 1, (size_t)(end - dash - 1)) &&
                         !is_word(qd_rewritten_word, dash + 1, (size_t)(end - dash - 1))))
        return false;
    int written = snprintf(base, size, "%.*s%s", (int)(dash - id), id, end);
    return written > 0 && (size_t)written < size;
}

static enum qd_visit relay_twin(struct twins *twins, enum qd_status status, bool made,
                                const struct qd_case *twin)
{
    twins->status = status;
    if (status != QD_OK)
        return QD_VISIT_STOP;
    return made ? relay_case(twins->relay, twin) : QD_VISIT_GO_ON;
}

static enum qd_visit relay_rewritten(struct twins *twins, const struct qd_case *kase)
{
    struct qd_case twin;
    bool made = false;
    qd_arena_reset(&twins->arena);
    enum qd_status status =
        qd_rewritten_twin(kase, twins->rewritings, &twins->arena, &made, &twin, twins->error);
    return relay_twin(twins, status, made, &twin);
}

static enum qd_visit relay_generated(void *context, const struct qd_case *kase)
{
    static make_twin *const makers[] = {qd_one_element_twin, qd_after_steps_twin,
                                        qd_other_shapes_twin};
    struct twins *twins = context;
    enum qd_visit answer = relay_case(twins->relay, kase);
    for (size_t i = 0; i < sizeof makers / sizeof *makers && answer != QD_VISIT_STOP; i++) {
        struct qd_case twin;
        bool made = false;
        qd_arena_reset(&twins->arena);
        enum qd_status status = makers[i](kase, &twins->arena, &made, &twin, twins->error);
        answer = relay_twin(twins, status, made, &twin);
    }
    return answer != QD_VISIT_STOP && twins->rewritings ? relay_rewritten(twins, kase) : answer;
}

/* Of a family without parts, or its part of the op-th operator. */
static enum qd_status generate(const struct qd_family *family, size_t op, enum qd_level level,
                               struct twins *twins, struct qd_error *error)
{
    return family->generate_op ? family->generate_op(op, level, relay_generated, twins, error)
                               : qd_family_generate(family, level, relay_generated, twins, error);
}

static enum qd_status visit_part(const struct qd_family *family, size_t op, enum qd_level level,
                                 struct relay *relay, struct qd_error *error)
{
    struct twins twins = {.relay = relay, .status = QD_OK, .error = error};
    struct qd_arena arena;
    enum qd_status status = QD_OK;
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    qd_arena_init(&twins.arena, QD_ARENA_DEFAULT_BUDGET);
    if (level >= QD_LEVEL_FULL && !(twins.rewritings = qd_rewritings_begin(&arena)))
        status = out_of_memory(error, family->name);
    if (status == QD_OK)
        status = generate(family, op, level, &twins, error);
    qd_arena_clear(&twins.arena);
    qd_arena_clear(&arena);
    return status == QD_OK ? twins.status : status;
}

static bool is_wanted(const struct qd_suite_options *options, const char *part)
{
    return !options->wanted || options->wanted(options->wanted_context, part);
}

/* "derived/com.microsoft.QLinearAdd" */
static void name_part(const struct qd_family *family, const struct qd_op *op, char name[128])
{
    snprintf(name, 128, "%s/%s%s%s", family->name, op->domain, *op->domain ? "." : "", op->name);
}

static enum qd_status visit_family(const struct qd_suite_options *options,
                                   const struct qd_family *family, struct relay *relay,
                                   struct qd_error *error)
{
    enum qd_status status = QD_OK;
    if (!family->generate_op)
        return is_wanted(options, family->name) && enter(options)
                   ? visit_part(family, 0, options->level, relay, error)
                   : QD_OK;
    for (size_t op = 0; status == QD_OK && !relay->stopped && qd_op_at(op); op++) {
        char name[128];
        name_part(family, qd_op_at(op), name);
        if (is_wanted(options, name) && enter(options))
            status = visit_part(family, op, options->level, relay, error);
    }
    return status;
}

static enum qd_status visit_families(const struct qd_suite_options *options, struct relay *relay,
                                     struct qd_error *error)
{
    enum qd_status status = QD_OK;
    for (size_t i = 0; status == QD_OK && !relay->stopped && qd_family_at(i); i++)
        status = visit_family(options, qd_family_at(i), relay, error);
    return status;
}

/* An empty directory is a broken installation, not an empty suite. */
static enum qd_status read_handwritten(const char *cases_dir, struct qd_arena *arena,
                                       struct qd_case_index *index, struct qd_error *error)
{
    enum qd_status status = cases_dir ? read_index(cases_dir, arena, index, error) : QD_OK;
    return status == QD_OK && cases_dir && index->count == 0
               ? qd_fail(error, QD_IO, "%s: holds no *.qdcase file", cases_dir)
               : status;
}

enum qd_status qd_suite_visit(const struct qd_suite_options *options, qd_case_visitor *visit,
                              void *context, struct qd_error *error)
{
    struct relay relay = {visit, context, false};
    struct qd_arena arena;
    struct qd_case_index index = {NULL, 0};
    qd_arena_init(&arena, QD_ARENA_DEFAULT_BUDGET);
    enum qd_status status = read_handwritten(options->cases_dir, &arena, &index, error);
    if (status == QD_OK)
        status = visit_valid(options, &index, &relay, error);
    if (status == QD_OK && !relay.stopped)
        status = visit_families(options, &relay, error);
    if (status == QD_OK && !relay.stopped)
        status = visit_refused(options, &index, &relay, error);
    qd_arena_clear(&arena);
    return status;
}
