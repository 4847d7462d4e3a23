/* What an operator's inputs are, read off the names in its row. */
#include <string.h>
#include <strings.h>

#include "qdiff/evaluate.h"

/* The entry of input i, *length 0 when there is none. */
static const char *entry_of(const struct qd_op *op, size_t i, size_t *length)
{
    const char *at = op && op->operands ? op->operands : "", *repeats = NULL;
    for (;; i--) {
        if (*at == '*')
            repeats = ++at;
        *length = strcspn(at, ",");
        if (i == 0)
            return at;
        at += *length;
        if (*at)
            at++;
        else if (repeats)
            at = repeats;
        else {
            *length = 0;
            return at;
        }
    }
}

const char *qd_op_operand_name(const struct qd_op *op, size_t input, size_t *length)
{
    const char *entry = entry_of(op, input, length);
    const char *colon = memchr(entry, ':', *length);
    if (colon)
        *length = (size_t)(colon - entry);
    return entry;
}

/* The length of what stands before the ending, 0 if the name does not end so. */
static size_t stem_length(const char *name, size_t length, const char *ending)
{
    size_t tail = strlen(ending);
    return length > tail && memcmp(name + length - tail, ending, tail) == 0 ? length - tail : 0;
}

enum qd_role qd_op_role(const struct qd_op *op, size_t input)
{
    static const struct {
        const char *word;
        enum qd_role role;
    } words[] = {{"weight", QD_ROLE_WEIGHT},
                 {"bias", QD_ROLE_BIAS},
                 {"scale", QD_ROLE_SCALE},
                 {"zero_point", QD_ROLE_ZERO_POINT},
                 {"control", QD_ROLE_CONTROL}};
    size_t whole, length;
    const char *name = entry_of(op, input, &whole);
    qd_op_operand_name(op, input, &length);
    for (size_t i = 0; length < whole && i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == whole - length - 1 &&
            memcmp(name + length + 1, words[i].word, whole - length - 1) == 0)
            return words[i].role;
    if (stem_length(name, length, "_scale") > 0)
        return QD_ROLE_SCALE;
    return stem_length(name, length, "_zero_point") > 0 ? QD_ROLE_ZERO_POINT : QD_ROLE_DATA;
}

bool qd_op_is_parameter(const struct qd_op *op, size_t input)
{
    enum qd_role role = qd_op_role(op, input);
    return role == QD_ROLE_SCALE || role == QD_ROLE_ZERO_POINT;
}

int qd_op_operand(const struct qd_op *op, enum qd_role role)
{
    for (size_t i = 0; op && i < op->max_inputs; i++)
        if (qd_op_role(op, i) == role)
            return (int)i;
    return QD_NO_OPERAND;
}

int qd_op_owner(const struct qd_op *op, size_t input)
{
    size_t length, other_length;
    const char *name = qd_op_operand_name(op, input, &length);
    bool scale = qd_op_role(op, input) == QD_ROLE_SCALE;
    size_t stem = stem_length(name, length, scale ? "_scale" : "_zero_point");
    if (!qd_op_is_parameter(op, input))
        return QD_NO_OPERAND;
    if (stem == 0)
        return qd_op_operand(op, QD_ROLE_WEIGHT);
    for (size_t i = input; i-- > 0;) {
        const char *other = qd_op_operand_name(op, i, &other_length);
        if (other_length == stem && strncasecmp(other, name, stem) == 0 &&
            qd_op_role(op, i) != QD_ROLE_BIAS)
            return (int)i;
    }
    return QD_OPERAND_OUTPUT;
}

int qd_op_parameter(const struct qd_op *op, int owner, enum qd_role role)
{
    for (size_t i = 0; op && i < op->max_inputs; i++)
        if (qd_op_role(op, i) == role && qd_op_owner(op, i) == owner)
            return (int)i;
    return QD_NO_OPERAND;
}
