/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator's inputs are, read off the names in its row. */
#include <string.h>
#include <strings.h>

#include "qdiff/evaluate.h"

/* A walk over the entries of a row, one for each input. */
struct walk {
    const char *next, *repeats; /* the entry to come, and the first of those that repeat */
    const char *name;
    size_t length, whole; /* of the name, and of the entry: name[:word]; 0 past the row's end */
};

static struct walk walk_begin(const struct qd_op *op)
{
    return (struct walk){.next = op && op->operands ? op->operands : ""};
}

static void walk_on(struct walk *walk)
{
    if (!*walk->next && walk->repeats)
        walk->next = walk->repeats;
    if (*walk->next == '*')
        walk->repeats = ++walk->next;
    const char *end = walk->name = walk->next;
    while (*end && *end != ',' && *end != ':')
        end++;
    walk->length = (size_t)(end - walk->name);
    while (*end && *end != ',')
        end++;
    walk->whole = (size_t)(end - walk->name);
    walk->next = end + (*end == ',');
}

/* Ends at the row's end: an operator that nobody knows may have a million inputs. */
static struct walk walk_to(const struct qd_op *op, size_t input)
{
    struct walk walk = walk_begin(op);
    for (size_t i = 0; i < input && (*walk.next || walk.repeats); i++)
        walk_on(&walk);
    walk_on(&walk);
    return walk;
}

const char *qd_op_operand_name(const struct qd_op *op, size_t input, size_t *length)
{
    struct walk walk = walk_to(op, input);
    *length = walk.length;
    return walk.name;
}

/* The length of what stands before the ending, 0 if the name does not end so. */
static size_t stem_length(const char *name, size_t length, const char *ending)
{
    size_t tail = strlen(ending);
    return length > tail && memcmp(name + length - tail, ending, tail) == 0 ? length - tail : 0;
}

static enum qd_role role_at(const struct walk *walk)
{
    static const struct {
        const char *word;
        enum qd_role role;
    } words[] = {{"weight", QD_ROLE_WEIGHT},
                 {"bias", QD_ROLE_BIAS},
                 {"scale", QD_ROLE_SCALE},
                 {"zero_point", QD_ROLE_ZERO_POINT},
                 {"control", QD_ROLE_CONTROL}};
    size_t length = walk->length, whole = walk->whole;
    for (size_t i = 0; length < whole && i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == whole - length - 1 &&
            memcmp(walk->name + length + 1, words[i].word, whole - length - 1) == 0)
            return words[i].role;
    if (stem_length(walk->name, length, "_scale") > 0)
        return QD_ROLE_SCALE;
    return stem_length(walk->name, length, "_zero_point") > 0 ? QD_ROLE_ZERO_POINT : QD_ROLE_DATA;
}

enum qd_role qd_op_role(const struct qd_op *op, size_t input)
{
    struct walk walk = walk_to(op, input);
    return role_at(&walk);
}

bool qd_op_is_parameter(const struct qd_op *op, size_t input)
{
    enum qd_role role = qd_op_role(op, input);
    return role == QD_ROLE_SCALE || role == QD_ROLE_ZERO_POINT;
}

int qd_op_operand(const struct qd_op *op, enum qd_role role)
{
    struct walk walk = walk_begin(op);
    for (size_t i = 0; op && i < op->max_inputs; i++) {
        walk_on(&walk);
        if (role_at(&walk) == role)
            return (int)i;
    }
    return QD_NO_OPERAND;
}

/* The last input before `input` of that name in any case; a bias has no parameters. */
static int owner_named(const struct qd_op *op, size_t input, const char *name, size_t length)
{
    struct walk walk = walk_begin(op);
    int owner = QD_OPERAND_OUTPUT;
    for (size_t i = 0; i < input; i++) {
        walk_on(&walk);
        if (walk.length == length && strncasecmp(walk.name, name, length) == 0 &&
            role_at(&walk) != QD_ROLE_BIAS)
            owner = (int)i;
    }
    return owner;
}

int qd_op_owner(const struct qd_op *op, size_t input)
{
    struct walk walk = walk_to(op, input);
    enum qd_role role = role_at(&walk);
    if (role != QD_ROLE_SCALE && role != QD_ROLE_ZERO_POINT)
        return QD_NO_OPERAND;
    size_t stem =
        stem_length(walk.name, walk.length, role == QD_ROLE_SCALE ? "_scale" : "_zero_point");
    return stem == 0 ? qd_op_operand(op, QD_ROLE_WEIGHT) : owner_named(op, input, walk.name, stem);
}

int qd_op_parameter(const struct qd_op *op, int owner, enum qd_role role)
{
    struct walk walk = walk_begin(op);
    for (size_t i = 0; op && i < op->max_inputs; i++) {
        walk_on(&walk);
        if (role_at(&walk) == role && qd_op_owner(op, i) == owner)
            return (int)i;
    }
    return QD_NO_OPERAND;
}
