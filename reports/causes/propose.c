/* SPDX-License-Identifier: Apache-2.0 */
/* Makes expectation rows of causes. */
#include "causes/propose.h"

#include <fnmatch.h>
#include <string.h>

#include "causes/message_shape.h"
#include "qdiff/expectations.h"

enum { SHAPE_SIZE = 1024, CLASS_SIZE = 1200 };

struct writer {
    const struct qd_proposal *proposal;
    FILE *out;
    struct qd_arena arena; /* of one cause */
    size_t rows;
    bool *seen; /* by target: whether the row is for it */
    struct qd_error *error;
};

/* Members of one cause, operator and release. */
struct group {
    const struct qd_cause *cause;
    const struct qd_cause_member **members;
    size_t count;
    const struct qd_target_info *info; /* of the first one's target */
    bool release;                      /* the rows are for its version only */
};

static enum qd_status no_memory(struct writer *writer)
{
    return qd_fail(writer->error, QD_NO_MEMORY, "no memory for rows");
}

/* --- Targets and settings ------------------------------------------------------------------------ */

static size_t target_of(const struct qd_proposal *proposal, const struct qd_cause_member *member)
{
    size_t i = 0;

    while (i + 1 < proposal->target_count && strcmp(proposal->targets[i].id, member->target) != 0)
        i++;
    return i;
}

static const struct qd_target_info *info_of(const struct writer *writer,
                                            const struct qd_cause_member *member)
{
    return &writer->proposal->targets[target_of(writer->proposal, member)].info;
}

/* Whether the run has another release of the target. */
static bool has_releases(const struct qd_proposal *proposal, const struct qd_target_info *info)
{
    for (size_t i = 0; i < proposal->target_count; i++) {
        const struct qd_target_info *other = &proposal->targets[i].info;

        if (strcmp(other->name, info->name) == 0 && strcmp(other->version, info->version) != 0)
            return true;
    }
    return false;
}

/* The value of `key`, `length` bytes, in "opt=all,threads=1", and its length; NULL if it has none. */
static const char *value_of(const char *settings, const char *key, size_t length,
                            size_t *value_length)
{
    for (const char *item = settings; *item != '\0'; item += *item == ',') {
        size_t span = strcspn(item, ",");

        if (span > length && strncmp(item, key, length) == 0 && item[length] == '=') {
            *value_length = span - length - 1;
            return item + length + 1;
        }
        item += span;
    }
    return NULL;
}

/* Whether the value is among the comma-separated ones. */
static bool lists(const char *values, const char *value, size_t length)
{
    while (*values != '\0') {
        size_t span = strcspn(values, ",");

        if (span == length && strncmp(values, value, length) == 0)
            return true;
        values += span + (values[span] == ',');
    }
    return false;
}

/* The values of a key on the release's targets, all of them or those seen: "extended,all". NULL when out of
 * memory. */
static const char *values_of(struct writer *writer, const struct group *group, const char *key,
                             size_t length, bool all)
{
    const char *values = "";

    for (size_t i = 0; i < writer->proposal->target_count && values; i++) {
        const struct qd_target_info *info = &writer->proposal->targets[i].info;
        size_t value_length;
        const char *value = value_of(info->settings, key, length, &value_length);

        if (value && strcmp(info->name, group->info->name) == 0 && (all || writer->seen[i]) &&
            !lists(values, value, value_length))
            values = qd_arena_printf(&writer->arena, "%s%s%.*s", values,
                                     values[0] != '\0' ? "," : "", (int)value_length, value);
    }
    return values;
}

/* "opt=extended,all": the keys of which not all values were seen; "*". NULL when out of memory. */
static const char *settings_of(struct writer *writer, const struct group *group)
{
    const char *settings = "";

    for (const char *item = group->info->settings; *item != '\0' && settings;) {
        size_t key = strcspn(item, "=,"), span = strcspn(item, ",");
        const char *all = values_of(writer, group, item, key, true);
        const char *seen = values_of(writer, group, item, key, false);

        if (!all || !seen)
            return NULL;
        if (key < span && strcmp(all, seen) != 0)
            settings = qd_arena_printf(&writer->arena, "%s%s%.*s=%s", settings,
                                       settings[0] != '\0' ? ";" : "", (int)key, item, seen);
        item += span + (item[span] == ',');
    }
    return settings && settings[0] == '\0' ? "*" : settings;
}

static void mark_seen(struct writer *writer, const struct qd_cause_member *const *members,
                      size_t count)
{
    memset(writer->seen, 0, writer->proposal->target_count * sizeof *writer->seen);
    for (size_t i = 0; i < count; i++)
        writer->seen[target_of(writer->proposal, members[i])] = true;
}

/* --- Rows ---------------------------------------------------------------------------------------- */

static const char *reason_of(struct writer *writer, const struct qd_cause_member *member,
                             size_t results, const char *sentence)
{
    const char *text = member->message[0] != '\0' ? member->message : sentence;

    return qd_arena_printf(&writer->arena, "%zu results: %s", results, text);
}

/* A row for some of the group's members. */
static enum qd_status write_row(struct writer *writer, const struct group *group,
                                const struct qd_cause_member *const *members, size_t count,
                                const char *pattern, const char *features, const char *class)
{
    mark_seen(writer, members, count);
    const struct qd_row_draft draft = {
        .pattern = pattern,
        .features = features,
        .settings = settings_of(writer, group),
        .class = class,
        .versions = group->release ? group->info->version : "*",
        .reason = reason_of(writer, members[0], count, group->cause->sentence),
    };
    const char *text;

    if (!pattern || !features || !class || !draft.settings || !draft.reason)
        return no_memory(writer);
    enum qd_status status = qd_expectations_row(&draft, &writer->arena, &text, writer->error);
    if (status == QD_OK) {
        fputs(text, writer->out);
        writer->rows++;
    }
    return status;
}

/* A case by its id, on all targets where it fails so. */
static enum qd_status write_cases(struct writer *writer, const struct group *group)
{
    enum qd_status status = QD_OK;

    for (size_t i = 0, end; i < group->count && status == QD_OK; i = end) {
        const struct qd_cause_member *first = group->members[i];
        bool diagnosed = first->basis == QD_CAUSE_DIAGNOSIS && !strchr(first->key, '|');

        for (end = i; end < group->count && strcmp(group->members[end]->id, first->id) == 0;)
            end++;
        status = write_row(writer, group, group->members + i, end - i,
                           qd_expectations_pattern("", first->id, &writer->arena), "*",
                           diagnosed ? qd_arena_printf(&writer->arena, "quirk:%s", first->key)
                                     : qd_verdict_word(first->verdict));
    }
    return status;
}

static enum qd_status write_op(struct writer *writer, const struct group *group,
                               const char *features, const char *class)
{
    return write_row(writer, group, group->members, group->count,
                     qd_expectations_pattern("op:", group->members[0]->op, &writer->arena),
                     features, class);
}

/* --- Patterns of messages ------------------------------------------------------------------------ */

/* Whether the pattern matches the messages of the group, and of no other cause
 * of its operator and class that has no row yet. */
static bool is_of_cause(const struct writer *writer, const struct group *group, const char *pattern)
{
    const struct qd_causes *causes = writer->proposal->causes;
    const struct qd_cause *cause = group->cause;
    const struct qd_cause_member *example = group->members[0];

    for (size_t i = 0; i < group->count; i++)
        if (fnmatch(pattern, group->members[i]->message, 0) != 0)
            return false;
    for (size_t i = 0; i < causes->member_count; i++) {
        const struct qd_cause_member *other = &causes->members[i];
        bool inside = i >= cause->first && i < cause->first + cause->results;

        if (!inside && other->kind == QD_RESULT_FAIL && other->op == example->op &&
            other->verdict == example->verdict && strcmp(other->name, example->name) == 0 &&
            fnmatch(pattern, other->message, 0) == 0)
            return false;
    }
    return true;
}

/* "rejects-valid:*the scale of*must be a scalar*" with three pieces of the message, or as many as tell it from
 * others. False if there is no such pattern. */
static bool message_class(const struct writer *writer, const struct group *group,
                          char class[CLASS_SIZE])
{
    static const size_t pieces[] = {3, 5, 64};
    const struct qd_cause_member *member = group->members[0];
    char shape[SHAPE_SIZE], pattern[SHAPE_SIZE];

    qd_message_shape(member->message, member->op, shape, sizeof shape);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        qd_message_shape_pattern(shape, pieces[i], pattern, sizeof pattern);
        if (pattern[0] != '\0' && is_of_cause(writer, group, pattern)) {
            snprintf(class, CLASS_SIZE, "%s:%s", qd_verdict_word(member->verdict), pattern);
            return true;
        }
    }
    return false;
}

static enum qd_status write_message(struct writer *writer, const struct group *group)
{
    char class[CLASS_SIZE];

    return message_class(writer, group, class) ? write_op(writer, group, "*", class)
                                               : write_cases(writer, group);
}

/* --- Kinds of causes ----------------------------------------------------------------------------- */

static enum qd_status write_rule(struct writer *writer, const struct group *group)
{
    const struct qd_cause_member *member = group->members[0];

    if (member->verdict != QD_VERDICT_ACCEPTS_INVALID)
        return write_message(writer, group);
    return write_op(
        writer, group, "*",
        qd_arena_printf(&writer->arena, "%s:%s", qd_verdict_word(member->verdict), member->key));
}

static enum qd_status write_diagnosis(struct writer *writer, const struct group *group)
{
    const char *key = group->members[0]->key;

    return write_op(writer, group, "*",
                    qd_arena_printf(&writer->arena, "quirk:%.*s", (int)strcspn(key, "|"), key));
}

/* Whether a row by the conjunction is narrow enough: on the targets that it is for, few are selected and nearly
 * all of them fail so. */
static bool is_narrow(struct writer *writer, const struct group *group)
{
    const struct qd_cause_member *member = group->members[0];
    size_t selected = 0, matched = 0;

    mark_seen(writer, group->members, group->count);
    for (size_t i = 0; i < writer->proposal->target_count; i++) {
        if (!writer->seen[i])
            continue;
        struct qd_cause_counts counts =
            qd_causes_count(writer->proposal->causes, member->op, writer->proposal->targets[i].id,
                            &member->separation, member->verdict);
        selected += counts.selected;
        matched += counts.matched;
    }
    return selected <= QD_PROPOSAL_MOST && 10 * matched >= 9 * selected;
}

static enum qd_status write_features(struct writer *writer, const struct group *group)
{
    char words[256];

    if (!is_narrow(writer, group))
        return write_cases(writer, group);
    qd_separation_describe(&group->members[0]->separation, words, sizeof words);
    return write_op(writer, group, words, qd_verdict_word(group->members[0]->verdict));
}

static enum qd_status write_group(struct writer *writer, const struct group *group)
{
    if (writer->proposal->by_case)
        return write_cases(writer, group);
    switch (group->cause->basis) {
    case QD_CAUSE_DIAGNOSIS: return write_diagnosis(writer, group);
    case QD_CAUSE_RULE: return write_rule(writer, group);
    case QD_CAUSE_MESSAGE: return write_message(writer, group);
    case QD_CAUSE_FEATURES: return write_features(writer, group);
    default: return write_cases(writer, group);
    }
}

/* --- Groups -------------------------------------------------------------------------------------- */

static bool is_like(const struct writer *writer, const struct group *group,
                    const struct qd_cause_member *member)
{
    return member->op == group->members[0]->op &&
           (!group->release || strcmp(info_of(writer, member)->version, group->info->version) == 0);
}

/* The members of the cause that are like the first one not taken; marks them taken. */
static void fill_group(struct writer *writer, const struct qd_cause *cause, bool *taken,
                       struct group *group)
{
    const struct qd_cause_member *members = &writer->proposal->causes->members[cause->first];

    group->count = 0;
    for (size_t i = 0; i < cause->results; i++) {
        if (taken[i])
            continue;
        if (group->count == 0) {
            group->members[0] = &members[i];
            group->info = info_of(writer, &members[i]);
            group->release = has_releases(writer->proposal, group->info);
        }
        if (is_like(writer, group, &members[i])) {
            group->members[group->count++] = &members[i];
            taken[i] = true;
        }
    }
}

static enum qd_status write_cause(struct writer *writer, const struct qd_cause *cause)
{
    struct group group = {.cause = cause};
    enum qd_status status = QD_OK;

    qd_arena_reset(&writer->arena);
    bool *taken = qd_arena_array(&writer->arena, cause->results, sizeof *taken);
    group.members = qd_arena_array(&writer->arena, cause->results, sizeof *group.members);
    writer->seen =
        qd_arena_array(&writer->arena, writer->proposal->target_count, sizeof *writer->seen);
    if (!taken || !group.members || !writer->seen)
        return no_memory(writer);
    do {
        fill_group(writer, cause, taken, &group);
        if (group.count > 0)
            status = write_group(writer, &group);
    } while (group.count > 0 && status == QD_OK);
    return status;
}

enum qd_status qd_causes_propose(const struct qd_proposal *proposal, FILE *out, size_t *rows,
                                 struct qd_error *error)
{
    struct writer writer = {.proposal = proposal, .out = out, .error = error};
    enum qd_status status = QD_OK;

    qd_arena_init(&writer.arena, QD_ARENA_DEFAULT_BUDGET);
    for (size_t i = 0; i < proposal->causes->count && status == QD_OK; i++)
        if (proposal->causes->items[i].kind == QD_RESULT_FAIL)
            status = write_cause(&writer, &proposal->causes->items[i]);
    qd_arena_clear(&writer.arena);
    *rows = writer.rows;
    return status;
}
