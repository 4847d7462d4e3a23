/* SPDX-License-Identifier: Apache-2.0 */
/* The list of contract mutants: every rule at every place of every operator. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "contract/confusion.h"

/* --- The rules ----------------------------------------------------------------------------------- */

#define PARAMETERS (QD_OVER_BIAS | QD_OVER_SCALE | QD_OVER_ZERO_POINT)
#define SCALES (QD_OVER_SCALE | QD_OVER_ZERO_POINT)
#define LISTS (QD_OVER_CONTROL | QD_OVER_ATTRIBUTE)
#define INPUTS (QD_OVER_DATA | QD_OVER_WEIGHT)
#define TENSORS (INPUTS | QD_OVER_OUTPUT)
#define NUMBERS (INPUTS | QD_OVER_BIAS | QD_OVER_SCALE)
#define OPERANDS (INPUTS | PARAMETERS | QD_OVER_CONTROL)

static const int64_t tiles[] = {4, 8, 16, 32, 64, 100};
static const int64_t widths[] = {2, 4, 8, 16};
static const int64_t wraps[] = {256, 65536};
static const int64_t axis_wraps[] = {256};
static const int64_t axis_pairs[] = {1, 2, 3, 12, 13, 23};
static const int64_t axes[] = {0, 1, 2, 3};
static const int64_t bits[] = {4, 7, 8, 16};
static const int64_t ranks[] = {0, 1, 2, 3, 4, 5, 6};
static const int64_t parameter_ranks[] = {0, 1, 2, 3};
static const int64_t sizes[] = {0, 1};
static const int64_t counts[] = {1, 2, 3, 4, 5, 6, 8, 9};
static const int64_t once[] = {0};

static const struct qd_contract_rule rules[] = {
#define QD_ROW(function, word, over, numbers, condition, effect, needs)                         \
    {word,   over, numbers, sizeof(numbers) / sizeof *(numbers), condition, qd_rule_##function, \
     effect, needs},
#define QD_RULE(function, word, over, numbers, effect, needs) \
    QD_ROW(function, word, over, numbers, false, effect, needs)
#define QD_WHEN(function, word, over, numbers, effect, needs) \
    QD_ROW(function, word, over, numbers, true, effect, needs)
#include "qdiff/contract_rules.def"
#undef QD_RULE
#undef QD_WHEN
#undef QD_ROW
};

const struct qd_contract_rule *qd_contract_rule_at(size_t i)
{
    return i < sizeof rules / sizeof *rules ? &rules[i] : NULL;
}

/* --- Equal to the specification ------------------------------------------------------------------ */

static const struct {
    const char *names, *why;
} equals[] = {
#define QD_EQUALS(names, why) {names, why},
#include "qdiff/contract_equals.def"
#undef QD_EQUALS
};

static bool matches_one(const char *patterns, const char *name)
{
    char pattern[128];
    while (*patterns) {
        size_t length = strcspn(patterns, " ");
        if (length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0)
                return true;
        }
        patterns += length + strspn(patterns + length, " ");
    }
    return false;
}

static const char *why_equal(const char *name)
{
    for (size_t i = 0; i < sizeof equals / sizeof *equals; i++)
        if (matches_one(equals[i].names, name))
            return equals[i].why;
    return NULL;
}

/* --- Growing the list ---------------------------------------------------------------------------- */

struct list {
    struct qd_arena *arena;
    qd_contract_takes *takes;
    const void *context;
    struct qd_contract_mutant *mutants; /* NULL: only counted */
    size_t count;
    const struct qd_op *op;
    size_t op_index;
    bool full_memory;
};

static const char *place_name(struct list *list, const struct qd_contract_mutant *mutant, int place)
{
    size_t length;
    if (mutant->attribute)
        return qd_arena_printf(list->arena, ".%s", mutant->attribute);
    if (place == QD_OPERAND_OUTPUT)
        return "output";
    if (place == QD_NO_OPERAND)
        return "node";
    const char *name = qd_op_operand_name(list->op, (size_t)place, &length);
    int repeated = 1;
    for (int i = 0; i < place; i++) {
        size_t other_length;
        const char *other = qd_op_operand_name(list->op, (size_t)i, &other_length);
        repeated += other == name && other_length == length;
    }
    return repeated == 1 ? qd_arena_printf(list->arena, "%.*s", (int)length, name)
                         : qd_arena_printf(list->arena, "%.*s#%d", (int)length, name, repeated);
}

static const char *name_of(struct list *list, const struct qd_contract_mutant *m)
{
    const char *domain = *list->op->domain ? list->op->domain : "", *colon = *domain ? ":" : "";
    const char *place = place_name(list, m, m->place), *number = "";
    if (m->other != QD_NO_OPERAND)
        number = qd_arena_printf(list->arena, "-%s", place_name(list, m, m->other));
    else if (m->last != m->n)
        number = qd_arena_printf(list->arena, "-%lld-to-%lld", (long long)m->n, (long long)m->last);
    else if (m->rule->numbers == axis_pairs)
        number = qd_arena_printf(list->arena, "-%02lld", (long long)m->n);
    else if (m->rule->numbers != once || m->rule->over == QD_OVER_VERSION)
        number = qd_arena_printf(list->arena, "-%lld", (long long)m->n);
    return place && number ? qd_arena_printf(list->arena, "%s%s%s/%s/%s%s", domain, colon,
                                             list->op->name, place, m->rule->word, number)
                           : NULL;
}

static void add(struct list *list, struct qd_contract_mutant mutant)
{
    size_t i = list->count++;
    if (!list->mutants || list->full_memory)
        return;
    mutant.op = list->op;
    mutant.op_index = list->op_index;
    mutant.name = name_of(list, &mutant);
    mutant.equals = mutant.name ? why_equal(mutant.name) : NULL;
    list->full_memory = !mutant.name;
    list->mutants[i] = mutant;
}

/* One for each of the rule's numbers. */
static void add_numbers(struct list *list, struct qd_contract_mutant mutant)
{
    for (size_t i = 0; i < mutant.rule->number_count; i++) {
        mutant.n = mutant.last = mutant.rule->numbers[i];
        add(list, mutant);
    }
}

/* --- The places ---------------------------------------------------------------------------------- */

/* Operands that rules are applied to: of what repeats the first two rounds. */
static int places_of(const struct qd_op *op)
{
    const char *star = strchr(op->operands, '*');
    int entries = 1, round = 1;
    for (const char *at = op->operands; *at; at++)
        entries += *at == ',';
    for (const char *at = star ? star : ""; *at; at++)
        round += *at == ',';
    int places = star ? entries + round : (int)op->max_inputs;
    return places < (int)op->max_inputs ? places : (int)op->max_inputs;
}

static unsigned over_of(const struct qd_op *op, int place)
{
    static const unsigned roles[] = {[QD_ROLE_DATA] = QD_OVER_DATA,
                                     [QD_ROLE_SCALE] = QD_OVER_SCALE,
                                     [QD_ROLE_ZERO_POINT] = QD_OVER_ZERO_POINT,
                                     [QD_ROLE_BIAS] = QD_OVER_BIAS,
                                     [QD_ROLE_WEIGHT] = QD_OVER_WEIGHT,
                                     [QD_ROLE_CONTROL] = QD_OVER_CONTROL};
    unsigned i = (unsigned)place;
    bool optional = !op->variadic && (i >= op->min_inputs || (op->optional >> i & 1) != 0);
    return roles[qd_op_role(op, i)] | (optional ? QD_OVER_OPTIONAL : 0);
}

static struct qd_contract_mutant at(const struct qd_contract_rule *rule, int place)
{
    return (struct qd_contract_mutant){.rule = rule, .place = place, .other = QD_NO_OPERAND};
}

static void add_operands(struct list *list, const struct qd_contract_rule *rule)
{
    for (int i = 0; i < places_of(list->op); i++)
        if (rule->over & over_of(list->op, i))
            add_numbers(list, at(rule, i));
}

/* What can have one type: all but data for lists of axes and the like. */
static void add_pairs(struct list *list, const struct qd_contract_rule *rule)
{
    int count = places_of(list->op);
    for (int i = 0; i < count; i++)
        for (int k = rule->over & QD_OVER_PAIR ? 0 : i + 1; k < count; k++) {
            struct qd_contract_mutant mutant = at(rule, i);
            mutant.other = k;
            if (i != k)
                add_numbers(list, mutant);
        }
}

static void add_attributes(struct list *list, const struct qd_contract_rule *rule)
{
    const char *word = list->op->attributes ? list->op->attributes : "";
    while (*word) {
        size_t length = strcspn(word, ","), bare = strcspn(word, ":,");
        struct qd_contract_mutant mutant = at(rule, QD_NO_OPERAND);
        mutant.attribute = qd_arena_printf(list->arena, "%.*s", (int)bare, word);
        list->full_memory = list->full_memory || !mutant.attribute;
        add_numbers(list, mutant);
        word += length + (word[length] == ',');
    }
}

/* --- Versions ------------------------------------------------------------------------------------ */

enum { MOST_VERSIONS = 32 };

static size_t add_version(int64_t *versions, size_t count, int64_t version)
{
    for (size_t i = 0; i < count; i++)
        if (versions[i] == version)
            return count;
    if (count < MOST_VERSIONS)
        versions[count++] = version;
    return count;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* First opsets of what the row tells apart: the operator, its attributes, its newest clause. */
static size_t versions_of(const struct qd_op *op, int64_t *versions)
{
    size_t count = add_version(versions, 0, op->since);
    count = add_version(versions, count, strtoll(op->clause ? op->clause : "1", NULL, 10));
    const char *word = op->attributes ? op->attributes : "";
    while (*word) {
        const char *colon = word + strcspn(word, ":,"), *dash = strchr(colon, '-');
        if (*colon == ':' && colon[1] != '-')
            count = add_version(versions, count, strtoll(colon + 1, NULL, 10));
        if (*colon == ':' && dash[1] >= '0' && dash[1] <= '9')
            count = add_version(versions, count, strtoll(dash + 1, NULL, 10) + 1);
        word += strcspn(word, ",");
        word += *word == ',';
    }
    qsort(versions, count, sizeof *versions, by_number);
    return count;
}

static void add_versions(struct list *list, const struct qd_contract_rule *rule)
{
    int64_t versions[MOST_VERSIONS + 1];
    if (*list->op->domain)
        return; /* one version */
    size_t count = versions_of(list->op, versions);
    versions[count] = QD_MAX_OPSET + 1;
    for (size_t i = 0; i < count; i++) {
        struct qd_contract_mutant mutant = at(rule, QD_NO_OPERAND);
        mutant.n = versions[i];
        mutant.last = versions[i + 1] - 1;
        add(list, mutant);
    }
}

/* --- All ----------------------------------------------------------------------------------------- */

static void add_rule(struct list *list, const struct qd_contract_rule *rule)
{
    add_operands(list, rule);
    if (rule->over & QD_OVER_OUTPUT)
        add_numbers(list, at(rule, QD_OPERAND_OUTPUT));
    if (rule->over & QD_OVER_ATTRIBUTE)
        add_attributes(list, rule);
    if (rule->over & (QD_OVER_PAIR | QD_OVER_TWO))
        add_pairs(list, rule);
    if (rule->over & QD_OVER_VERSION)
        add_versions(list, rule);
    if (rule->over & QD_OVER_NODE || (rule->over & QD_OVER_VARIADIC && list->op->variadic))
        add_numbers(list, at(rule, QD_NO_OPERAND));
}

static void add_all(struct list *list, size_t *first)
{
    list->count = 0;
    for (list->op_index = 0; qd_op_at(list->op_index); list->op_index++) {
        list->op = qd_op_at(list->op_index);
        first[list->op_index] = list->count;
        if (list->takes && !list->takes(list->context, list->op))
            continue;
        for (size_t i = 0; qd_contract_rule_at(i); i++)
            add_rule(list, qd_contract_rule_at(i));
    }
    first[list->op_index] = list->count;
}

enum qd_status qd_contract_init(struct qd_arena *arena, qd_contract_takes *takes,
                                const void *context, struct qd_contract *contract,
                                struct qd_error *error)
{
    struct list list = {.arena = arena, .takes = takes, .context = context};
    size_t op_count = 0;
    while (qd_op_at(op_count))
        op_count++;
    size_t *first = qd_arena_array(arena, op_count + 1, sizeof *first);
    if (first)
        add_all(&list, first);
    list.mutants = qd_arena_array(arena, list.count, sizeof *list.mutants);
    if (first && list.mutants)
        add_all(&list, first);
    if (!first || !list.mutants || list.full_memory)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu contract mutants", list.count);
    *contract = (struct qd_contract){list.count, list.mutants, op_count, first};
    return QD_OK;
}

const struct qd_contract_mutant *qd_contract_find(const struct qd_contract *contract,
                                                  const char *name)
{
    for (size_t i = 0; i < contract->count; i++)
        if (strcmp(contract->mutants[i].name, name) == 0)
            return &contract->mutants[i];
    return NULL;
}
