/* SPDX-License-Identifier: Apache-2.0 */
/* Contract mutants: wrong kernels made by rule. Every row of ops.def says what an operator takes; every row of
 * contract_rules.def says one way of reading such a contract wrongly: one operand for another, an axis for
 * another, a parameter's element for another, a tile's remainder left out. Each rule at each place of each
 * operator is a mutant, the reference with that one error in all nodes of the operator. A case kills a mutant
 * if the mutant's answer is a divergence of severity `wrong`. */
#ifndef QDIFF_CONTRACT_H
#define QDIFF_CONTRACT_H

#include <stdatomic.h>

#include "qdiff/case.h"
#include "qdiff/evaluate.h"

/* Where in a contract a rule puts its error; the classes of enum qd_contract_over. */
#define QD_CONTRACT_OVER_LIST(QD_OVER)                      \
    QD_OVER(DATA, "a data operand")                         \
    QD_OVER(WEIGHT, "the weight")                           \
    QD_OVER(BIAS, "the bias")                               \
    QD_OVER(SCALE, "a scale")                               \
    QD_OVER(ZERO_POINT, "a zero point")                     \
    QD_OVER(CONTROL, "an operand of shapes, axes, bounds")  \
    QD_OVER(OPTIONAL, "an operand that may be absent")      \
    QD_OVER(OUTPUT, "the first output")                     \
    QD_OVER(ATTRIBUTE, "an attribute")                      \
    QD_OVER(PAIR, "an operand and another, in both orders") \
    QD_OVER(TWO, "two operands")                            \
    QD_OVER(NODE, "the node")                               \
    QD_OVER(VERSION, "a version of the operator")           \
    QD_OVER(VARIADIC, "a node with any number of operands")

#define QD_OVER_NUMBER(name, meaning) QD_OVER_NUMBER_##name,
enum { QD_CONTRACT_OVER_LIST(QD_OVER_NUMBER) QD_OVER_NUMBER_COUNT };
#undef QD_OVER_NUMBER
#define QD_OVER_BIT(name, meaning) QD_OVER_##name = 1 << QD_OVER_NUMBER_##name,
enum qd_contract_over { QD_CONTRACT_OVER_LIST(QD_OVER_BIT) };
#undef QD_OVER_BIT

struct qd_confusion; /* targets/contract/confusion.h */

struct qd_contract_rule {
    const char *word;       /* "tail-zero": lower case, digits, '-' */
    unsigned over;          /* qd_contract_over bits */
    const int64_t *numbers; /* the rule once for each; the one number 0: it has none */
    size_t number_count;
    bool condition; /* a wrong answer under a condition; else one error of the contract */
    void (*change)(struct qd_confusion *); /* changes nothing where the rule does not apply */
    const char *effect;                    /* what is wrong, %lld the number */
    const char *needs;                     /* what a case needs to show it: "no case has <needs>" */
};

/* Row i of contract_rules.def, NULL past its end. */
const struct qd_contract_rule *qd_contract_rule_at(size_t i);

struct qd_contract_mutant {
    const struct qd_op *op;
    size_t op_index; /* qd_op_at() */
    const struct qd_contract_rule *rule;
    int place;             /* an operand's number, QD_OPERAND_OUTPUT, or QD_NO_OPERAND */
    int other;             /* of two operands the second, else QD_NO_OPERAND */
    const char *attribute; /* its name, NULL: none */
    int64_t n, last;    /* the rule's number; of VERSION the first and last opset, else last is n */
    const char *name;   /* "QLinearConv/w_scale/index-modulo-4" */
    const char *equals; /* why it equals the specification on every input, NULL if it does not */
};

struct qd_contract {
    size_t count;
    struct qd_contract_mutant *mutants; /* by operator, in the order of ops.def; then by rule */
    size_t op_count;
    const size_t *first; /* op_count + 1: where each operator's begin, and their end */
};

/* The mutants of the operators that takes(context, op) is true for (NULL: of all), in the arena. NO_MEMORY. */
typedef bool qd_contract_takes(const void *context, const struct qd_op *op);
enum qd_status qd_contract_init(struct qd_arena *arena, qd_contract_takes *takes,
                                const void *context, struct qd_contract *contract,
                                struct qd_error *error);

/* The mutant of that name, NULL if there is none. */
const struct qd_contract_mutant *qd_contract_find(const struct qd_contract *contract,
                                                  const char *name);

/* How a node of a case was varied (qd_contract_reach). */
enum qd_variation_kind {
    QD_VARIATION_NONE,
    QD_VARIATION_AS_IS,
    QD_VARIATION_INITIALIZERS,
    QD_VARIATION_COMPUTED,
    QD_VARIATION_SHOWN_TWICE,
    QD_VARIATION_NUMBERS,
    QD_VARIATION_TYPE,
    QD_VARIATION_SIZE,
    QD_VARIATION_RANK,
    QD_VARIATION_VECTOR,
    QD_VARIATION_ATTRIBUTE,
    QD_VARIATION_CONTROL,
    QD_VARIATION_ABSENT,
    QD_VARIATION_GIVEN,
    QD_VARIATION_OPSET,
    QD_VARIATION_SAME,
    QD_VARIATION_OPERANDS
};
struct qd_variation {
    enum qd_variation_kind kind;
    int operand; /* of which, QD_NO_OPERAND: of all */
    int64_t a, b;
};

/* "axis 1 of X made 101" into text; returns text. */
const char *qd_variation_describe(const struct qd_op *op, const struct qd_variation *variation,
                                  char *text, size_t size);

/* What became of one mutant, over all cases; zeroed at first. Several processes may share it. */
struct qd_contract_tally {
    atomic_uint applied;           /* cases in which the rule changes something */
    atomic_uint refused;           /* of those: the changed node is not valid, nothing was judged */
    atomic_uint values;            /* a wrong value */
    atomic_uint shapes;            /* a wrong shape or type */
    atomic_uint weak;              /* a divergence that is advisory */
    struct qd_variation variation; /* what would tell it; one process writes */
};
bool qd_contract_is_dead(const struct qd_contract_tally *tally);

/* Tries the mutants that are not dead on a valid case: tallies[i] is mutant i's. With them the canonical
 * answer, which must be no divergence: else *false_alarm. Must-reject cases and cases with the feature one-
 * element-vector (what differs there is advisory) change nothing. The arena is for the case. Fails as
 * qd_graph_evaluate() does on the case itself. */
enum qd_status qd_contract_try(const struct qd_contract *contract, const struct qd_case *kase,
                               struct qd_arena *arena, struct qd_contract_tally *tallies,
                               bool *false_alarm, struct qd_error *error);

/* The kinds of nodes that were varied; zeroed at first. */
#define QD_CONTRACT_KINDS 12
struct qd_contract_kinds {
    size_t count;
    uint64_t kinds[QD_CONTRACT_KINDS];
};

/* Varies the case's nodes of operator `op` (its number in the list), those of a new kind: types, sizes, ranks,
 * parameters, attributes, opsets. A mutant that is not dead, and that a variation which the reference takes
 * would tell, gets the first such `variation`: it can be killed, the suite has no case for it. What has none
 * in the end is not known to differ from the specification on any node. Fails as qd_graph_evaluate() does on
 * the case itself. */
enum qd_status qd_contract_reach(const struct qd_contract *contract, size_t op,
                                 const struct qd_case *kase, struct qd_arena *arena,
                                 struct qd_contract_kinds *kinds, struct qd_contract_tally *tallies,
                                 struct qd_error *error);

#endif
