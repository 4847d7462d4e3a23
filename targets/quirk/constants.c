/* SPDX-License-Identifier: Apache-2.0 */
#include "quirk/constants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quirk/rewrite.h"

/* Of each operand two hexadecimal digits, the open axes, and whether it is a constant, what QuantizeLinear
 * gives, or read once more. */
enum { DIGITS = 2, LETTERS = DIGITS + 1, ALL_AXES = 0xff };
#define CONSTANT 'c'
#define VARIABLE 'v'
#define CODES 'q'
#define SHARED 's'

struct fact {
    bool constant, codes;
    unsigned open;
};

static struct fact of_graph_value(const struct qd_graph_value *value)
{
    struct fact fact = {.constant = value->initializer != NULL};
    if (!fact.constant && value->declared_rank < 0)
        fact.open = ALL_AXES;
    for (int i = 0; !fact.constant && i < value->declared_rank; i++)
        fact.open |= value->declared_dims[i] < 0 ? 1U << i : 0;
    return fact;
}

/* What is computed of all operands. */
static struct fact of_results(const struct qd_node *node, const struct fact *facts)
{
    bool codes = qd_node_is(node, "QuantizeLinear");
    struct fact fact = {.constant = !codes,
                        .codes = codes}; /* a rounding step is not evaluated before the run */
    for (size_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] == QD_NO_VALUE)
            continue;
        fact.constant = fact.constant && facts[node->inputs[i]].constant;
        fact.open |= facts[node->inputs[i]].open ? ALL_AXES : 0;
    }
    return fact;
}

/* Whether another node, of codes with parameters, reads operand i with the same zero point and another scale. */
static bool is_shared(const struct qd_rewrite *made, const struct qd_node *node, size_t i)
{
    enum { SCALE = 1, ZERO_POINT };
    int zero = qd_node_input(node, i + ZERO_POINT);
    for (size_t n = 0; zero != QD_NO_VALUE && n < made->made.node_count; n++) {
        const struct qd_node *other = &made->nodes[n];
        if (qd_rewrite_uses(made, qd_node_output(other, 0)) == 0)
            continue; /* nobody computes it */
        for (size_t k = 0; other != node && k < other->input_count; k++)
            if (qd_node_input(other, k) == qd_node_input(node, i) &&
                qd_node_input(other, k + SCALE) != qd_node_input(node, i + SCALE) &&
                qd_node_input(other, k + ZERO_POINT) == zero)
                return true;
    }
    return false;
}

static char letter(const struct qd_rewrite *made, const struct qd_node *node, size_t i,
                   struct fact fact)
{
    if (fact.constant || fact.codes)
        return fact.constant ? CONSTANT : CODES;
    return is_shared(made, node, i) ? SHARED : VARIABLE;
}

/* The node's name; NULL without room. */
static const char *describe(const struct qd_rewrite *made, const char *mark,
                            const struct qd_node *node, const struct fact *facts)
{
    const struct fact absent = {.constant = true};
    size_t length = strlen(mark), room = length + LETTERS * node->input_count + 1;
    char *name = qd_arena_array(made->arena, room, 1);
    if (!name)
        return NULL;
    memcpy(name, mark, length + 1);
    for (size_t i = 0; i < node->input_count; i++) {
        struct fact fact = node->inputs[i] == QD_NO_VALUE ? absent : facts[node->inputs[i]];
        snprintf(name + length + LETTERS * i, room - length - LETTERS * i, "%02x%c", fact.open,
                 letter(made, node, i, fact));
    }
    return name;
}

static enum qd_status mark_all(struct qd_rewrite *made, const char *domain, const char *mark,
                               struct fact *facts)
{
    for (size_t i = 0; i < made->made.node_count; i++) {
        struct qd_node *node = &made->nodes[i];
        struct fact result = of_results(node, facts);
        for (size_t o = 0; o < node->output_count; o++)
            if (node->outputs[o] != QD_NO_VALUE)
                facts[node->outputs[o]] = result;
        if (strcmp(node->domain, domain) != 0)
            continue;
        node->name = describe(made, mark, node, facts);
        if (!node->name)
            return qd_fail(made->error, QD_NO_MEMORY, "no room for a name");
    }
    return QD_OK;
}

enum qd_status qd_rewrite_mark_known(const struct qd_graph *graph, const char *domain,
                                     const char *mark, struct qd_arena *arena,
                                     const struct qd_graph **rewritten, struct qd_error *error)
{
    struct qd_rewrite made;
    struct fact *facts = qd_arena_array(arena, graph->value_count + 1, sizeof *facts);
    if (!facts)
        return qd_fail(error, QD_NO_MEMORY, "no room for %zu values", graph->value_count);
    for (size_t v = 0; v < graph->value_count; v++)
        facts[v] = of_graph_value(&graph->values[v]);
    enum qd_status status = qd_rewrite_begin(&made, graph, arena, error);
    if (status == QD_OK)
        status = mark_all(&made, domain, mark, facts);
    return status == QD_OK ? qd_rewrite_finish(&made, rewritten) : status;
}

const char *qd_known_operands(const struct qd_node *node, const char *mark)
{
    size_t length = strlen(mark);
    return node->name && strncmp(node->name, mark, length) == 0 ? node->name + length : NULL;
}

bool qd_known_value(const char *known, size_t i)
{
    return LETTERS * i >= strlen(known) || known[LETTERS * i + DIGITS] == CONSTANT;
}

bool qd_known_codes(const char *known, size_t i)
{
    return LETTERS * i < strlen(known) && known[LETTERS * i + DIGITS] == CODES;
}

bool qd_known_shared(const char *known, size_t i)
{
    return LETTERS * i < strlen(known) && known[LETTERS * i + DIGITS] == SHARED;
}

unsigned qd_open_axes(const char *known, size_t i)
{
    char digits[DIGITS + 1] = "0";
    if (LETTERS * i < strlen(known))
        memcpy(digits, known + LETTERS * i, DIGITS);
    return (unsigned)strtoul(digits, NULL, 16);
}
