/* SPDX-License-Identifier: Apache-2.0 */
/* Understands filters and shards, and says whether they take a case. */
#include "select/selection.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "qdiff/evaluate.h"
#include "qdiff/spelling.h"

static void add(struct qd_features *features, enum qd_feature feature)
{
    features->bits[(unsigned)feature / 64] |= UINT64_C(1) << ((unsigned)feature % 64);
}

static enum qd_status unknown_feature(const char *word, struct qd_error *error)
{
    struct qd_spelling spelling = {word, NULL, 0};

    for (int i = 0; i < QD_FEATURE_COUNT; i++)
        qd_spelling_try(&spelling, qd_feature_word((enum qd_feature)i));
    if (spelling.word) {
        return qd_fail(error, QD_USAGE, "--feature: no feature \"%s\"; did you mean \"%s\"?", word,
                       spelling.word);
    }
    return qd_fail(error, QD_USAGE, "--feature: no feature \"%s\"; qdiff help features names them",
                   word);
}

/* "a,!b" into a group. */
static enum qd_status parse_group(const char *text, struct qd_feature_group *group,
                                  struct qd_error *error)
{
    struct qd_feature_group parsed = {0};

    while (*text != '\0') {
        char word[64];
        size_t span = strcspn(text, ",");
        bool banned = *text == '!';
        size_t length = span - banned;
        enum qd_feature feature;

        length = length < sizeof word ? length : sizeof word - 1;
        memcpy(word, text + banned, length);
        word[length] = '\0';
        if (!qd_feature_find(word, &feature))
            return unknown_feature(word, error);
        add(banned ? &parsed.bans : &parsed.needs, feature);
        text += span;
        text += *text == ',';
    }
    *group = parsed;
    return QD_OK;
}

/* Whether the default domain has an operator of that name. */
static bool is_default(const char *name)
{
    const struct qd_op *op;

    for (size_t i = 0; (op = qd_op_at(i)) != NULL; i++)
        if (*op->domain == '\0' && strcmp(op->name, name) == 0)
            return true;
    return false;
}

/* Whether `word` names `op`, which is "Conv" or "com.microsoft:QLinearAdd": in full, or by its name alone where the
 * default domain has no such operator. */
static bool names_op(const char *word, const char *op)
{
    const char *colon = strchr(op, ':');

    return strcmp(word, op) == 0 || (colon && strcmp(word, colon + 1) == 0 && !is_default(word));
}

static void full_name(const struct qd_op *op, char full[96])
{
    snprintf(full, 96, "%s%s%s", op->domain, *op->domain != '\0' ? ":" : "", op->name);
}

/* The word has to name an operator of the reference. */
static enum qd_status check_op(const char *word, struct qd_error *error)
{
    const char *colon = strchr(word, ':');
    struct qd_spelling spelling = {colon ? colon + 1 : word, NULL, 0};
    const struct qd_op *op;

    for (size_t i = 0; (op = qd_op_at(i)) != NULL; i++) {
        char full[96];

        full_name(op, full);
        if (names_op(word, full))
            return QD_OK;
        qd_spelling_try(&spelling, op->name);
    }
    return qd_fail(error, QD_USAGE, "--op: no operator \"%s\"%s%s%s", word,
                   spelling.word ? "; did you mean \"" : "", spelling.word ? spelling.word : "",
                   spelling.word ? "\"?" : "");
}

enum qd_status qd_selection_init(const struct qd_options *options, struct qd_arena *arena,
                                 struct qd_selection *selection, struct qd_error *error)
{
    size_t count = options->features.count;
    struct qd_feature_group *groups = qd_arena_array(arena, count, sizeof *groups);

    if (!groups)
        return qd_fail(error, QD_NO_MEMORY, "no memory for --feature");
    for (size_t i = 0; i < count; i++) {
        enum qd_status status = parse_group(options->features.items[i], &groups[i], error);

        if (status != QD_OK)
            return status;
    }
    for (size_t i = 0; i < options->ops.count; i++) {
        const char *word = options->ops.items[i];
        enum qd_status status = check_op(word + (*word == '!'), error);

        if (status != QD_OK)
            return status;
    }
    *selection = (struct qd_selection){
        .options = options, .role = &qd_role_kernel, .group_count = count, .groups = groups};
    return QD_OK;
}

static bool in_group(const struct qd_feature_group *group, const struct qd_features *features)
{
    for (int i = 0; i < 2; i++)
        if ((group->needs.bits[i] & ~features->bits[i]) != 0 ||
            (group->bans.bits[i] & features->bits[i]) != 0)
            return false;
    return true;
}

bool qd_words_take(const struct qd_words *words, qd_word_fits *fits, const void *what)
{
    bool wants = false, fitted = false;

    for (size_t i = 0; i < words->count; i++) {
        bool banned = words->items[i][0] == '!', hit = fits(words->items[i] + banned, what);

        if (banned && hit)
            return false;
        wants |= !banned;
        fitted |= hit;
    }
    return fitted || !wants;
}

static bool glob_fits(const char *glob, const void *id)
{
    return fnmatch(glob, id, 0) == 0;
}

static bool op_fits(const char *word, const void *op)
{
    return names_op(word, op);
}

static bool tag_fits(const char *word, const void *what)
{
    const struct qd_case *kase = what;

    for (size_t i = 0; i < kase->tag_count; i++)
        if (strcmp(kase->tags[i], word) == 0)
            return true;
    return false;
}

bool qd_selection_takes_op(const struct qd_selection *selection, const struct qd_op *op)
{
    char full[96];

    full_name(op, full);
    return qd_words_take(&selection->options->ops, op_fits, full);
}

static bool takes_features(const struct qd_selection *selection, const struct qd_features *features)
{
    for (size_t i = 0; i < selection->group_count; i++)
        if (in_group(&selection->groups[i], features))
            return true;
    return selection->group_count == 0;
}

uint64_t qd_shard_of(const char *id, uint64_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (; *id != '\0'; id++)
        hash = (hash ^ (unsigned char)*id) * UINT64_C(0x100000001b3);
    return (hash ^ hash >> 32) % count; /* the low bits of FNV alone are weak */
}

bool qd_selection_takes(const struct qd_selection *selection, const struct qd_case *kase,
                        const struct qd_features *features)
{
    const struct qd_options *options = selection->options;

    return qd_words_take(&options->filters, glob_fits, kase->id) &&
           qd_words_take(&options->ops, op_fits, kase->op) && takes_features(selection, features) &&
           qd_words_take(&options->tags, tag_fits, kase) &&
           (options->shard.count == 0 ||
            qd_shard_of(kase->id, options->shard.count) == options->shard.index);
}

/* Whether a glob may match some text that begins with `part` and a slash. */
static bool may_match(const char *glob, const char *part)
{
    size_t literal = strcspn(glob, "*?[\\"), length = strlen(part);

    if (literal <= length)
        return strncmp(glob, part, literal) == 0 && glob[literal] != '\0';
    return strncmp(glob, part, length) == 0 && glob[length] == '/';
}

bool qd_selection_wants_part(const struct qd_selection *selection, const char *part)
{
    const struct qd_words *globs = &selection->options->filters;
    bool any = false; /* glob that asks for cases; the others leave some out */

    for (size_t i = 0; i < globs->count; i++) {
        if (globs->items[i][0] == '!')
            continue;
        if (may_match(globs->items[i], part))
            return true;
        any = true;
    }
    return !any;
}

bool qd_selection_is_whole(const struct qd_selection *selection)
{
    const struct qd_options *options = selection->options;

    return options->filters.count == 0 && options->ops.count == 0 && options->features.count == 0 &&
           options->tags.count == 0 && options->shard.count == 0 && options->arguments.count == 0 &&
           !options->pack && options->level >= QD_LEVEL_FULL;
}
