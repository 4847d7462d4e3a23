/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the failures of a run by cause. */
#include "causes/causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "causes/distance.h"
#include "causes/message_shape.h"
#include "causes/rules.h"
#include "digest/array.h"
#include "qdiff/diagnose.h"

#define BUDGET ((size_t)16 << 30)

enum { SHAPE_SIZE = 1024 };

/* --- Life --------------------------------------------------------------------------------------- */

void qd_causes_init(struct qd_causes *causes)
{
    *causes = (struct qd_causes){0};
    qd_arena_init(&causes->arena, BUDGET);
}

void qd_causes_clear(struct qd_causes *causes)
{
    free(causes->members);
    free(causes->passes);
    free(causes->names);
    qd_arena_clear(&causes->arena);
    *causes = (struct qd_causes){0};
}

bool qd_cause_is_red(const struct qd_cause *cause)
{
    return qd_result_is_unexpected(cause->kind);
}

const char *qd_cause_basis_word(enum qd_cause_basis basis)
{
    static const char *const words[] = {
#define QD_CAUSE_BASIS_WORD(name, word) word,
        QD_CAUSE_BASIS_LIST(QD_CAUSE_BASIS_WORD)
#undef QD_CAUSE_BASIS_WORD
    };

    return words[basis];
}

struct qd_cause_counts qd_causes_count(const struct qd_causes *causes, const char *op,
                                       const char *target, const struct qd_separation *conjunction,
                                       enum qd_verdict class)
{
    struct qd_cause_counts counts = {0, 0};

    for (size_t i = 0; i < causes->pass_count; i++) {
        const struct qd_cause_pass *pass = &causes->passes[i];

        counts.selected += strcmp(pass->op, op) == 0 && strcmp(pass->target, target) == 0 &&
                           qd_separation_holds(conjunction, &pass->features);
    }
    for (size_t i = 0; i < causes->member_count; i++) {
        const struct qd_cause_member *member = &causes->members[i];
        bool selected = strcmp(member->op, op) == 0 && strcmp(member->target, target) == 0 &&
                        qd_separation_holds(conjunction, &member->features);

        counts.selected += selected;
        counts.matched += selected && member->verdict == class;
    }
    return counts;
}

/* --- Taking results ----------------------------------------------------------------------------- */

/* The one copy of an operator's or target's name; NULL when out of memory. */
static const char *intern(struct qd_causes *causes, const char *name)
{
    for (size_t i = 0; i < causes->name_count; i++)
        if (strcmp(causes->names[i], name) == 0)
            return causes->names[i];
    const char **names =
        qd_array_grow(causes->names, causes->name_count, &causes->name_capacity, sizeof *names);
    const char *copy = qd_arena_string(&causes->arena, name);
    if (names)
        causes->names = names;
    if (!names || !copy)
        return NULL;
    causes->names[causes->name_count++] = copy;
    return copy;
}

enum qd_status qd_causes_spell(struct qd_causes *causes, const char *target, const char *text,
                               struct qd_error *error)
{
    struct qd_cause_spelling spelling = {intern(causes, target),
                                         qd_arena_string(&causes->arena, text)};

    if (!spelling.target || !spelling.text)
        return qd_fail(error, QD_NO_MEMORY, "no memory for the causes of failures");
    if (causes->spelling_count < QD_CAUSE_SPELLINGS)
        causes->spellings[causes->spelling_count++] = spelling;
    return QD_OK;
}

static bool add_pass(struct qd_causes *causes, const struct qd_result *result)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(result->target, "@["), result->target);
    struct qd_cause_pass pass = {.op = intern(causes, result->op),
                                 .target = intern(causes, result->target),
                                 .name = intern(causes, name),
                                 .rule = intern(causes, result->rule),
                                 .features = qd_features_parse(result->features)};
    struct qd_cause_pass *passes =
        qd_array_grow(causes->passes, causes->pass_count, &causes->pass_capacity, sizeof *passes);

    if (passes)
        causes->passes = passes;
    if (!passes || !pass.op || !pass.target || !pass.name || !pass.rule)
        return false;
    causes->passes[causes->pass_count++] = pass;
    return true;
}

static size_t weight_of(const struct qd_result *result)
{
    size_t weight = 0;

    for (size_t i = 0; i < result->parameter_count; i++)
        weight += strlen(result->parameters[i].value);
    return weight;
}

static const char *name_of(const char *target, struct qd_arena *arena)
{
    return qd_arena_printf(arena, "%.*s", (int)strcspn(target, "@["), target);
}

/* What the target said; not what it printed besides, unless that is all there is. Of two runs that differ, which one
 * is right is chance. */
static const char *words_of(const struct qd_result *result, struct qd_arena *arena)
{
    const char *text = qd_result_has_comparison(result) ? result->message : result->why;
    const char *besides = result->signal == 0 ? strstr(text, "; standard error:") : NULL;

    if (result->comparison.verdict == QD_VERDICT_NONDETERMINISTIC)
        besides = strchr(text, ';');

    return besides ? qd_arena_printf(arena, "%.*s", (int)(besides - text), text)
                   : qd_arena_string(arena, text);
}

static struct qd_cause_member copy_result(struct qd_causes *causes, const struct qd_result *result)
{
    struct qd_arena *arena = &causes->arena;

    return (struct qd_cause_member){
        .id = qd_arena_string(arena, result->id),
        .op = intern(causes, result->op),
        .target = intern(causes, result->target),
        .kind = result->kind,
        .verdict = result->comparison.verdict,
        .message = words_of(result, arena),
        .diagnosis = qd_arena_string(arena, result->diagnosis),
        .effect = qd_arena_string(arena, result->effect),
        .seen = qd_arena_string(arena, result->seen),
        .rule = qd_arena_string(arena, result->rule),
        .issue = qd_arena_string(arena, result->issue),
        .reason = qd_arena_string(arena, result->reason),
        .row = result->row,
        .features = qd_features_parse(result->features),
        .distance = qd_distance_word(result),
        .elements = result->comparison.elements,
        .weight = weight_of(result),
        .name = name_of(result->target, arena),
    };
}

static bool add_member(struct qd_causes *causes, const struct qd_result *result)
{
    struct qd_cause_member member = copy_result(causes, result);
    struct qd_cause_member *members = qd_array_grow(causes->members, causes->member_count,
                                                    &causes->member_capacity, sizeof *members);

    if (members)
        causes->members = members;
    if (!members || !member.id || !member.op || !member.target || !member.message ||
        !member.diagnosis || !member.effect || !member.seen || !member.rule || !member.issue ||
        !member.reason || !member.name)
        return false;
    causes->members[causes->member_count++] = member;
    return true;
}

enum qd_status qd_causes_add(struct qd_causes *causes, const struct qd_result *result,
                             struct qd_error *error)
{
    bool added = true;

    if (result->kind == QD_RESULT_PASS) {
        if (qd_result_is_comparison(result))
            added = add_pass(causes, result);
    } else if (result->kind != QD_RESULT_SKIP) {
        added = add_member(causes, result);
    }
    return added ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for the causes of failures");
}

/* --- Keys --------------------------------------------------------------------------------------- */

static bool is_named(const struct qd_cause_member *member)
{
    return member->diagnosis[0] != '\0' &&
           strcmp(member->diagnosis, qd_diagnosis_word(QD_DIAGNOSIS_UNEXPLAINED)) != 0;
}

/* Of a known or fixed divergence: the issue of its row; a row without one is a cause of its own. */
static const char *row_key(const struct qd_cause_member *member, struct qd_arena *arena)
{
    if (member->issue[0] != '\0' && strcmp(member->issue, "-") != 0)
        return member->issue;
    return qd_arena_printf(arena, "line %zu", member->row);
}

static const char *message_key(const struct qd_cause_member *member, struct qd_arena *arena)
{
    char shape[SHAPE_SIZE];

    qd_message_shape(member->message, member->op, shape, sizeof shape);
    return qd_message_shape_is_telling(shape) ? qd_arena_string(arena, shape)
                                              : qd_arena_printf(arena, "%s: %s", member->op, shape);
}

/* Where the target itself panicked and by what, two lines of its standard error: "panicked at
 * core/padding.rs:75:21: index out of bounds". NULL where it does not say, or a library of its own did,
 * which all kinds of callers reach. */
static const char *panic_of(const struct qd_cause_member *member, struct qd_arena *arena)
{
    static const char opening[] = "panicked at ";
    const char *from = strstr(member->message, opening);

    if (member->verdict != QD_VERDICT_CRASH || !from || from[sizeof opening - 1] == '/')
        return NULL;
    size_t length = strcspn(from, "\n");
    if (from[length] == '\n')
        length += 1 + strcspn(from + length + 1, "\n");
    return qd_arena_printf(arena, "%.*s", (int)length, from);
}

/* What one failure says about its cause by itself. False when out of memory. */
static bool set_key(struct qd_cause_member *member, struct qd_arena *arena)
{
    const char *panic = panic_of(member, arena);
    char shape[SHAPE_SIZE];

    if (member->kind == QD_RESULT_KNOWN || member->kind == QD_RESULT_FIXED) {
        member->basis = QD_CAUSE_ROW;
        member->key = row_key(member, arena);
    } else if (is_named(member)) {
        member->basis = QD_CAUSE_DIAGNOSIS;
        member->key = member->diagnosis;
    } else if (panic) {
        member->basis = QD_CAUSE_MESSAGE;
        member->key =
            qd_arena_string(arena, qd_message_shape(panic, member->op, shape, sizeof shape));
    } else if (member->rule[0] != '\0') {
        member->basis = QD_CAUSE_RULE;
        member->key = member->rule;
    } else if (member->message[0] != '\0') {
        member->basis = QD_CAUSE_MESSAGE;
        member->key = message_key(member, arena);
    } else {
        member->basis = QD_CAUSE_REST;
        member->key = qd_arena_printf(arena, "%s%s%s", member->op,
                                      member->distance[0] != '\0' ? ", " : "", member->distance);
    }
    return member->key != NULL;
}

/* --- Operators in messages ---------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A message that names the case's own operator may be about a node that cases of other operators have too,
 * and there the name is kept: it belongs to those. */
static bool settle_operators(struct qd_causes *causes)
{
    const char **keys = qd_arena_array(&causes->arena, causes->member_count, sizeof *keys);
    size_t count = 0;
    char shape[SHAPE_SIZE];

    for (size_t i = 0; keys && i < causes->member_count; i++)
        if (causes->members[i].basis == QD_CAUSE_MESSAGE)
            keys[count++] = causes->members[i].key;
    if (keys && count > 0)
        qsort(keys, count, sizeof *keys, by_text);
    for (size_t i = 0; keys && i < causes->member_count; i++) {
        struct qd_cause_member *member = &causes->members[i];
        const char *spelled = qd_message_shape(member->message, "", shape, sizeof shape);
        const char *const *found = member->basis == QD_CAUSE_MESSAGE && count > 0
                                       ? bsearch(&spelled, keys, count, sizeof *keys, by_text)
                                       : NULL;

        if (found)
            member->key = *found;
    }
    return keys != NULL;
}

/* --- Several quirks ------------------------------------------------------------------------------ */

/* How many failures of the target have exactly this diagnosis. */
static size_t count_diagnosed(const struct qd_causes *causes, const char *name, const char *label,
                              size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < causes->member_count; i++) {
        const struct qd_cause_member *member = &causes->members[i];

        count += member->basis == QD_CAUSE_DIAGNOSIS &&
                 strncmp(member->diagnosis, label, length) == 0 &&
                 member->diagnosis[length] == '\0' && strcmp(member->name, name) == 0;
    }
    return count;
}

/* The part of "a|b|c" that explains most by itself; the whole if none does. NULL when out of memory. */
static const char *choose_part(struct qd_causes *causes, const struct qd_cause_member *member)
{
    const char *chosen = member->diagnosis;
    size_t most = 0, chosen_length = strlen(chosen);

    for (const char *part = member->diagnosis; *part != '\0';) {
        size_t length = strcspn(part, "|");
        size_t count = count_diagnosed(causes, member->name, part, length);

        if (count > most) {
            most = count;
            chosen = part;
            chosen_length = length;
        }
        part += length + (part[length] == '|');
    }
    return qd_arena_printf(&causes->arena, "%.*s", (int)chosen_length, chosen);
}

static bool settle_alternatives(struct qd_causes *causes)
{
    const struct qd_cause_member *last = NULL;

    for (size_t i = 0; i < causes->member_count; i++) {
        struct qd_cause_member *member = &causes->members[i];

        if (member->basis != QD_CAUSE_DIAGNOSIS || !strchr(member->diagnosis, '|'))
            continue;
        bool again = last && strcmp(last->diagnosis, member->diagnosis) == 0 &&
                     strcmp(last->name, member->name) == 0;
        member->key = again ? last->key : choose_part(causes, member);
        if (!member->key)
            return false;
        last = member;
    }
    return true;
}

/* --- Features ------------------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
    const struct qd_cause_member *x = a, *y = b;
    int order = strcmp(x->id, y->id);

    return order != 0 ? order : strcmp(x->target, y->target);
}

/* Whether two failures without words are of one case, operator and class, on one target. */
static bool is_same_case(const struct qd_cause_member *a, const struct qd_cause_member *b)
{
    return a->basis == b->basis && a->kind == b->kind && a->verdict == b->verdict &&
           a->op == b->op && a->distance == b->distance && strcmp(a->id, b->id) == 0 &&
           strcmp(a->name, b->name) == 0;
}

/* Notes for each failure without words on which targets its case fails so. The members are in the order of ids. */
static bool note_where(struct qd_causes *causes)
{
    struct qd_cause_member *members = causes->members;

    for (size_t i = 0; i < causes->member_count; i++) {
        size_t end = i;
        const char *where = "";

        if (members[i].basis != QD_CAUSE_REST || members[i].where)
            continue;
        for (; end < causes->member_count && strcmp(members[end].id, members[i].id) == 0; end++)
            if (is_same_case(&members[i], &members[end]) && where)
                where = qd_arena_printf(&causes->arena, "%s%s\n", where, members[end].target);
        for (size_t j = i; j < end; j++)
            if (is_same_case(&members[i], &members[j]))
                members[j].where = where;
        if (!where)
            return false;
    }
    return true;
}

/* Failures that are compared with the passing cases of their operator on the targets where they fail. */
struct block {
    struct qd_causes *causes;
    struct qd_arena arena; /* of the block */
    size_t count;
    struct qd_cause_member **members; /* of no cause yet */
    struct qd_features *failing, *passing;
    size_t failing_count, passing_count;
};

static bool is_in_block(const struct qd_cause_member *first, const struct qd_cause_member *member)
{
    return member->basis == QD_CAUSE_REST && member->kind == first->kind &&
           member->verdict == first->verdict && member->op == first->op &&
           member->distance == first->distance && strcmp(member->name, first->name) == 0 &&
           member->where && strcmp(member->where, first->where) == 0;
}

static bool holds_line(const char *lines, const char *line)
{
    size_t length = strlen(line);

    for (const char *at = lines; *at != '\0'; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

static bool fill_passing(struct block *block, const struct qd_cause_member *first)
{
    const struct qd_causes *causes = block->causes;

    block->passing = qd_arena_array(&block->arena, causes->pass_count, sizeof *block->passing);
    for (size_t i = 0; block->passing && i < causes->pass_count; i++) {
        const struct qd_cause_pass *pass = &causes->passes[i];

        if (pass->rule[0] == '\0' && pass->op == first->op &&
            holds_line(first->where, pass->target))
            block->passing[block->passing_count++] = pass->features;
    }
    return block->passing != NULL;
}

static bool fill_block(struct block *block, size_t from)
{
    struct qd_causes *causes = block->causes;
    const struct qd_cause_member *first = &causes->members[from];

    block->members = qd_arena_array(&block->arena, causes->member_count, sizeof *block->members);
    block->failing = qd_arena_array(&block->arena, causes->member_count, sizeof *block->failing);
    if (!block->members || !block->failing)
        return false;
    for (size_t i = from; i < causes->member_count; i++)
        if (is_in_block(first, &causes->members[i]))
            block->members[block->count++] = &causes->members[i];
    return fill_passing(block, first);
}

/* One set of features for each case of the block that is of no cause yet. */
static void list_failing(struct block *block)
{
    const char *last = "";

    block->failing_count = 0;
    for (size_t i = 0; i < block->count; i++) {
        if (block->members[i]->basis != QD_CAUSE_REST || strcmp(block->members[i]->id, last) == 0)
            continue;
        last = block->members[i]->id;
        block->failing[block->failing_count++] = block->members[i]->features;
    }
}

static bool take_separated(struct block *block, const struct qd_separation *separation)
{
    char words[256];
    const char *key = qd_arena_printf(&block->causes->arena, "%s: %s", block->members[0]->key,
                                      qd_separation_describe(separation, words, sizeof words));

    for (size_t i = 0; i < block->count; i++) {
        struct qd_cause_member *member = block->members[i];

        if (member->basis == QD_CAUSE_REST && qd_separation_holds(separation, &member->features)) {
            member->basis = QD_CAUSE_FEATURES;
            member->key = key;
            member->separation = *separation;
        }
    }
    return key != NULL;
}

static enum qd_status separate_block(struct qd_causes *causes, size_t from, struct qd_error *error)
{
    struct block block = {.causes = causes};
    struct qd_separation found = {.count = 1};
    enum qd_status status = QD_OK;

    qd_arena_init(&block.arena, BUDGET);
    bool filled = fill_block(&block, from);
    while (filled && status == QD_OK && found.count > 0) {
        list_failing(&block);
        status = qd_separate(block.failing, block.failing_count, block.passing, block.passing_count,
                             &block.arena, &found, error);
        if (status == QD_OK && found.count > 0)
            filled = take_separated(&block, &found);
    }
    for (size_t i = 0; i < block.count; i++)
        if (block.members[i]->basis == QD_CAUSE_REST)
            block.members[i]->where = NULL; /* done */
    qd_arena_clear(&block.arena);
    return filled ? status : qd_fail(error, QD_NO_MEMORY, "no memory for the causes of failures");
}

/* Failures that have neither quirk nor words: block by block. */
static enum qd_status separate_all(struct qd_causes *causes, struct qd_error *error)
{
    enum qd_status status = QD_OK;

    if (!note_where(causes))
        return qd_fail(error, QD_NO_MEMORY, "no memory for the causes of failures");
    for (size_t i = 0; i < causes->member_count && status == QD_OK; i++)
        if (causes->members[i].basis == QD_CAUSE_REST && causes->members[i].where)
            status = separate_block(causes, i, error);
    return status;
}

/* --- Groups -------------------------------------------------------------------------------------- */

static int compare(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* 0 for members of one cause. */
static int by_cause(const struct qd_cause_member *a, const struct qd_cause_member *b)
{
    int order = compare(a->kind, b->kind);

    if (order == 0)
        order = compare(a->basis, b->basis);
    if (order == 0)
        order = strcmp(a->name, b->name);
    if (order == 0 && a->basis != QD_CAUSE_ROW)
        order = compare(a->verdict, b->verdict);
    return order != 0 ? order : strcmp(a->key, b->key);
}

static int by_cause_then_id(const void *a, const void *b)
{
    int order = by_cause(a, b);

    return order != 0 ? order : by_id(a, b);
}

static bool is_smaller(const struct qd_cause_member *a, const struct qd_cause_member *b)
{
    if (a->elements != b->elements)
        return a->elements < b->elements;
    if (a->weight != b->weight)
        return a->weight < b->weight;
    return strlen(a->id) < strlen(b->id);
}

/* "QLinearConv, Conv": operators of the members, the most frequent one first. NULL when out of memory. */
static const char *list_ops(struct qd_causes *causes, const struct qd_cause *cause)
{
    const struct qd_cause_member *members = &causes->members[cause->first];
    size_t *counts = qd_arena_array(&causes->arena, causes->name_count, sizeof *counts);
    const char *list = "";

    for (size_t i = 0; counts && i < cause->results; i++)
        for (size_t j = 0; j < causes->name_count; j++)
            counts[j] += members[i].op == causes->names[j];
    while (counts && list) {
        size_t most = causes->name_count;

        for (size_t j = 0; j < causes->name_count; j++)
            if (counts[j] > 0 &&
                (most == causes->name_count || counts[j] > counts[most] ||
                 (counts[j] == counts[most] && strcmp(causes->names[j], causes->names[most]) < 0)))
                most = j;
        if (most == causes->name_count)
            return list;
        list = qd_arena_printf(&causes->arena, "%s%s%s", list, list[0] != '\0' ? ", " : "",
                               causes->names[most]);
        counts[most] = 0;
    }
    return NULL;
}

static const char *word_of(const struct qd_cause_member *member)
{
    return member->kind == QD_RESULT_FAIL ? qd_verdict_word(member->verdict)
                                          : qd_result_word(member->kind);
}

/* A long message by its first word or two and its end: what is long begins with where, and ends with why. */
static const char *name_message(const struct qd_cause_member *member, struct qd_arena *arena)
{
    enum { HEAD = 14, TAIL = 100 };
    const char *key = member->key;
    size_t length = strlen(key);

    if (length <= HEAD + TAIL + 4)
        return qd_arena_printf(arena, "%s: %s", word_of(member), key);
    size_t head = HEAD, tail = length - TAIL;
    while (head > 1 && key[head] != ' ')
        head--;
    while (key[tail] != ' ' && key[tail] != '\0')
        tail++;
    return qd_arena_printf(arena, "%s: %.*s ...%s", word_of(member), (int)head, key,
                           key[tail] != '\0' ? key + tail : key + length - TAIL);
}

static const char *name_cause(const struct qd_cause_member *member, struct qd_arena *arena)
{
    switch (member->basis) {
    case QD_CAUSE_ROW:
    case QD_CAUSE_DIAGNOSIS: return member->key;
    case QD_CAUSE_MESSAGE: return name_message(member, arena);
    case QD_CAUSE_REST:
        return qd_arena_printf(arena, "%s: %s, unexplained", word_of(member), member->key);
    default: return qd_arena_printf(arena, "%s: %s", word_of(member), member->key);
    }
}

/* A member that names the quirk of the cause alone, if there is one. */
static const struct qd_cause_member *find_diagnosed(const struct qd_causes *causes,
                                                    const struct qd_cause *cause)
{
    const struct qd_cause_member *members = &causes->members[cause->first];

    for (size_t i = 0; i < cause->results; i++)
        if (strcmp(members[i].diagnosis, members[i].key) == 0)
            return &members[i];
    return members;
}

static const char *explain_cause(const struct qd_cause_member *member, struct qd_arena *arena)
{
    char words[256];

    switch (member->basis) {
    case QD_CAUSE_ROW: return member->reason;
    case QD_CAUSE_DIAGNOSIS: return member->effect;
    case QD_CAUSE_FEATURES:
        return qd_arena_printf(
            arena, "every one has %s, and no case of %s has that and passes where they fail",
            qd_separation_describe(&member->separation, words, sizeof words), member->op);
    case QD_CAUSE_REST: return "no quirk explains them, and no features tell them from what passes";
    default:
        return member->kind == QD_RESULT_FAIL ? qd_verdict_meaning(member->verdict)
                                              : qd_result_meaning(member->kind);
    }
}

static const char *spell(const struct qd_causes *causes, const char *target)
{
    for (size_t i = 0; i < causes->spelling_count; i++)
        if (strcmp(causes->spellings[i].target, target) == 0)
            return causes->spellings[i].text;
    return target;
}

/* A case of the suite or a file, in quotes that a shell takes off. */
static const char *command_of(struct qd_causes *causes, const struct qd_cause_member *member)
{
    if (member->target[0] == '\0')
        return qd_arena_printf(&causes->arena, "qdiff show '%s'", member->id);
    const char *path = causes->directory
                           ? qd_arena_printf(&causes->arena, "%s/%s", causes->directory, member->id)
                           : NULL;

    return qd_arena_printf(&causes->arena, "qdiff repro '%s'%s --target '%s'",
                           path && access(path, R_OK) == 0 ? path : member->id,
                           causes->no_rows ? " --no-expectations" : "",
                           spell(causes, member->target));
}

/* Fills all but first and results. False when out of memory. */
static bool describe(struct qd_causes *causes, struct qd_cause *cause)
{
    const struct qd_cause_member *members = &causes->members[cause->first];
    struct qd_arena *arena = &causes->arena;

    cause->smallest = members;
    for (size_t i = 0; i < cause->results; i++) {
        cause->cases += i == 0 || strcmp(members[i].id, members[i - 1].id) != 0;
        if (is_smaller(&members[i], cause->smallest))
            cause->smallest = &members[i];
    }
    const struct qd_cause_member *smallest = cause->smallest;
    const struct qd_cause_member *told =
        smallest->basis == QD_CAUSE_DIAGNOSIS ? find_diagnosed(causes, cause) : smallest;
    cause->basis = smallest->basis;
    cause->kind = smallest->kind;
    cause->target = smallest->name;
    cause->issue = smallest->basis == QD_CAUSE_ROW ? smallest->issue : told->seen;
    cause->name = name_cause(smallest, arena);
    cause->sentence = explain_cause(told, arena);
    cause->command = command_of(causes, smallest);
    cause->ops = list_ops(causes, cause);
    return cause->name && cause->sentence && cause->command && cause->ops;
}

/* Failures, then what is advisory, then what is known. */
static int rank(const struct qd_cause *cause)
{
    return qd_cause_is_red(cause) ? 0 : cause->kind == QD_RESULT_ADVISORY ? 1 : 2;
}

static int by_size(const void *a, const void *b)
{
    const struct qd_cause *x = a, *y = b;

    int ranks = rank(x) - rank(y);
    if (ranks != 0)
        return ranks;
    if (x->results != y->results)
        return x->results > y->results ? -1 : 1;
    return compare(x->first, y->first);
}

static bool make_groups(struct qd_causes *causes)
{
    const struct qd_cause_member *members = causes->members;

    if (causes->member_count > 0)
        qsort(causes->members, causes->member_count, sizeof *members, by_cause_then_id);
    causes->items = qd_arena_array(&causes->arena, causes->member_count, sizeof *causes->items);
    if (!causes->items)
        return false;
    for (size_t i = 0; i < causes->member_count; i++) {
        if (i == 0 || by_cause(&members[i - 1], &members[i]) != 0)
            causes->items[causes->count++].first = i;
        causes->items[causes->count - 1].results++;
    }
    for (size_t i = 0; i < causes->count; i++)
        if (!describe(causes, &causes->items[i]))
            return false;
    if (causes->count > 0)
        qsort(causes->items, causes->count, sizeof *causes->items, by_size);
    return true;
}

enum qd_status qd_causes_find(struct qd_causes *causes, struct qd_error *error)
{
    bool made = true;

    for (size_t i = 0; i < causes->member_count && made; i++)
        made = set_key(&causes->members[i], &causes->arena);
    if (causes->member_count > 0)
        qsort(causes->members, causes->member_count, sizeof *causes->members, by_id);
    made = made && settle_operators(causes) && settle_alternatives(causes);
    enum qd_status status = made ? qd_rules_settle(causes, error) : QD_OK;
    if (status == QD_OK && made)
        status = separate_all(causes, error);
    if (status != QD_OK)
        return status;
    made = made && make_groups(causes);
    return made ? QD_OK : qd_fail(error, QD_NO_MEMORY, "no memory for the causes of failures");
}
