/* SPDX-License-Identifier: Apache-2.0 */
/* Visits the cases that a command line asks for: files it names, or the suite, filtered. */
#include "select/visit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pack/pack.h"
#include "qdiff/data_path.h"
#include "qdiff/quantizer_suite.h"

enum { DEEPEST = 16 }; /* directories; a link to a parent would never end */

/* A visit under way. */
struct walk {
    const struct qd_selection *selection;
    const struct qd_visitor *visitor;
    struct qd_arena arena; /* of one loaded case */
    const char *path;      /* of the case being visited, NULL in the suite */
};

static enum qd_visit offer(void *context, const struct qd_case *kase)
{
    struct walk *walk = context;
    struct qd_selected selected = {.kase = kase, .path = walk->path};

    qd_case_features(kase, &selected.features);
    if (!qd_selection_takes(walk->selection, kase, &selected.features))
        return QD_VISIT_GO_ON;
    return walk->visitor->take(walk->visitor->context, &selected);
}

static bool may_offer(const void *context, const char *part)
{
    const struct walk *walk = context;

    return qd_selection_wants_part(walk->selection, part);
}

static bool is_directory(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Whether a path is a directory in ONNX's backend-test layout. */
static bool is_case_directory(const char *path)
{
    char model[4096];

    snprintf(model, sizeof model, "%s/model.onnx", path);
    struct stat facts;
    return stat(model, &facts) == 0;
}

static enum qd_visit visit_file(struct walk *walk, const char *path)
{
    struct qd_error error = {0};

    qd_arena_reset(&walk->arena);
    walk->path = path;
    struct qd_case kase;
    enum qd_visit answer;
    if (qd_case_load(path, &walk->arena, &kase, &error) == QD_OK)
        answer = offer(walk, &kase);
    else
        answer = walk->visitor->bad(walk->visitor->context, path, &error);
    walk->path = NULL;
    return answer;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static enum qd_visit visit_path(struct walk *walk, const char *path, int depth);

static enum qd_visit visit_entry(struct walk *walk, const char *directory, const char *name,
                                 int depth)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);

    if (name[0] == '.' || length < 0 || (size_t)length >= sizeof path)
        return QD_VISIT_GO_ON;
    if (is_directory(path) || ends_with(name, ".qdcase"))
        return visit_path(walk, path, depth + 1);
    return QD_VISIT_GO_ON;
}

static enum qd_visit visit_directory(struct walk *walk, const char *path, int depth)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    enum qd_visit answer = QD_VISIT_GO_ON;
    struct qd_error error;

    if (count < 0 || depth > DEEPEST) {
        qd_fail(&error, QD_IO, "%s: %s", path, count < 0 ? strerror(errno) : "nested too deep");
        answer = walk->visitor->bad(walk->visitor->context, path, &error);
    }
    for (int i = 0; i < count; i++) {
        if (answer == QD_VISIT_GO_ON && depth <= DEEPEST)
            answer = visit_entry(walk, path, entries[i]->d_name, depth);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return answer;
}

static enum qd_visit visit_path(struct walk *walk, const char *path, int depth)
{
    if (is_directory(path) && !is_case_directory(path))
        return visit_directory(walk, path, depth);
    return visit_file(walk, path);
}

/* Hands on the cases of one suite after the other. */
struct handing {
    qd_case_visitor *take;
    void *context;
    bool stopped;
};

static enum qd_visit hand_on(void *context, const struct qd_case *kase)
{
    struct handing *handing = context;
    enum qd_visit answer = handing->take(handing->context, kase);

    handing->stopped = answer == QD_VISIT_STOP;
    return answer;
}

static enum qd_visit hand_on_quantizers(void *context, const struct qd_quantizer_case *kase)
{
    return hand_on(context, &kase->kase); /* which holds its request */
}

static enum qd_status visit_kernels(const struct qd_options *options, struct qd_suite_options suite,
                                    qd_case_visitor *take, void *context, struct qd_arena *arena,
                                    struct qd_error *error)
{
    enum qd_status status = QD_OK;

    if (options->pack)
        return qd_pack_visit(options->pack, suite.level, take, context, error);
    suite.cases_dir = options->cases;
    if (!suite.cases_dir)
        status = qd_data_path(arena, "cases", &suite.cases_dir, error);
    if (status == QD_OK)
        status = qd_suite_visit(&suite, take, context, error);
    if (status != QD_OK && !options->cases)
        return qd_fail_context(error, QD_INTERNAL, "the suite");
    return status;
}

/* Packs hold the kernels' suite alone. */
static enum qd_status visit_suite(const struct qd_options *options,
                                  const struct qd_target_role *role, struct qd_suite_options suite,
                                  qd_case_visitor *take, void *context, struct qd_arena *arena,
                                  struct qd_error *error)
{
    struct handing handing = {.take = take, .context = context};
    enum qd_status status = QD_OK;

    if (role != &qd_role_quantizer)
        status = visit_kernels(options, suite, hand_on, &handing, arena, error);
    if (status != QD_OK || handing.stopped || role == &qd_role_kernel || options->pack)
        return status;
    return qd_quantizer_suite_visit(suite.level, hand_on_quantizers, &handing, error);
}

enum qd_status qd_visit_selected(const struct qd_selection *selection,
                                 const struct qd_visitor *visitor, struct qd_error *error)
{
    return qd_visit_parts(selection, visitor, NULL, error);
}

enum qd_status qd_visit_parts(const struct qd_selection *selection,
                              const struct qd_visitor *visitor, qd_part_entered *enter,
                              struct qd_error *error)
{
    const struct qd_options *options = selection->options;
    struct walk walk = {.selection = selection, .visitor = visitor};
    enum qd_status status = QD_OK;

    qd_arena_init(&walk.arena, QD_ARENA_DEFAULT_BUDGET);
    if (options->arguments.count == 0) {
        const struct qd_suite_options suite = {.level = options->level,
                                               .wanted = may_offer,
                                               .wanted_context = &walk,
                                               .enter = enter,
                                               .enter_context = visitor->context};
        status = visit_suite(options, selection->role, suite, offer, &walk, &walk.arena, error);
    }
    for (size_t i = 0; i < options->arguments.count; i++)
        if (visit_path(&walk, options->arguments.items[i], 0) == QD_VISIT_STOP)
            break;
    qd_arena_clear(&walk.arena);
    return status;
}

/* A case looked for by its id. */
struct search {
    const char *id;
    struct qd_arena *arena;
    struct qd_case *kase;
    struct qd_error *error;
    enum qd_status status;
    bool found;
};

/* Copies by encoding: the case given lives no longer than the call. */
static enum qd_visit compare_id(void *context, const struct qd_case *kase)
{
    struct search *search = context;

    if (strcmp(kase->id, search->id) != 0)
        return QD_VISIT_GO_ON;
    search->found = true;
    uint8_t *bytes;
    size_t size;
    search->status = qd_case_encode(kase, search->arena, &bytes, &size, search->error);
    if (search->status == QD_OK)
        search->status = qd_case_decode(bytes, size, search->arena, search->kase, search->error);
    return QD_VISIT_STOP;
}

static bool is_of_part(const void *context, const char *part)
{
    const struct search *search = context;

    return qd_family_has_id(part, search->id);
}

/* The only case below a directory. */
struct only {
    struct qd_arena *arena;
    char *path; /* of the first */
    size_t count;
};

static enum qd_visit note_path(struct only *only, const char *path)
{
    if (only->count++ == 0)
        only->path = qd_arena_string(only->arena, path);
    return only->count < 2 ? QD_VISIT_GO_ON : QD_VISIT_STOP;
}

static enum qd_visit note_case(void *context, const struct qd_selected *selected)
{
    return note_path(context, selected->path);
}

static enum qd_visit note_bad(void *context, const char *path, const struct qd_error *error)
{
    (void)error; /* loading it tells */
    return note_path(context, path);
}

/* Of a directory that is no case, what export --output made of one: the case in it. */
static enum qd_status find_below(const char *directory, struct qd_arena *arena, const char **path,
                                 struct qd_error *error)
{
    const struct qd_options options = {.level = QD_LEVEL_EXHAUSTIVE,
                                       .arguments = {1, (const char *[]){directory}}};
    const struct qd_selection selection = {.options = &options};
    struct only only = {.arena = arena};
    const struct qd_visitor visitor = {note_case, note_bad, &only};
    enum qd_status status = qd_visit_selected(&selection, &visitor, error);

    if (status != QD_OK)
        return status;
    if (only.count == 0)
        return qd_fail(error, QD_USAGE, "%s: no case is below this directory", directory);
    if (!only.path)
        return qd_fail(error, QD_NO_MEMORY, "no memory for a path");
    if (only.count > 1) {
        return qd_fail(error, QD_USAGE, "%s: more than one case is below this directory, as %s is",
                       directory, only.path);
    }
    *path = only.path;
    return QD_OK;
}

enum qd_status qd_find_case(const char *name, const struct qd_options *options,
                            struct qd_arena *arena, struct qd_case *kase, struct qd_error *error)
{
    struct search search = {name, arena, kase, error, QD_OK, false};
    const struct qd_target_role *role = strncmp(name, "quantizer/", strlen("quantizer/")) == 0
                                            ? &qd_role_quantizer
                                            : &qd_role_kernel;
    struct stat facts;
    enum qd_status status;

    if (stat(name, &facts) == 0) {
        status = S_ISDIR(facts.st_mode) && !is_case_directory(name)
                     ? find_below(name, arena, &name, error)
                     : QD_OK;
        return status == QD_OK ? qd_case_load(name, arena, kase, error) : status;
    }
    /* The lower levels first: they are the smaller and hold what people look for. */
    for (int level = QD_LEVEL_FULL; level < QD_LEVEL_COUNT && !search.found; level++) {
        const struct qd_suite_options suite = {
            .level = (enum qd_level)level, .wanted = is_of_part, .wanted_context = &search};
        status = visit_suite(options, role, suite, compare_id, &search, arena, error);
        if (status != QD_OK)
            return status;
    }
    if (!search.found) {
        return qd_fail(error, QD_USAGE,
                       "%s: no such file, and no case of the suite has this id (qdiff list)", name);
    }
    return search.status;
}
