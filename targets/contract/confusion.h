/* SPDX-License-Identifier: Apache-2.0 */
/* A node that is being evaluated with one error of its contract: what the rules of contract_rules.def are
 * written with. */
#ifndef QDIFF_TARGETS_CONTRACT_CONFUSION_H
#define QDIFF_TARGETS_CONTRACT_CONFUSION_H

#include "qdiff/contract.h"
#include "quirk/edit.h"

struct qd_confusion {
    const struct qd_contract_mutant *mutant;
    const struct qd_graph *graph; /* the node's */
    struct qd_edit edit;  /* the node before it is evaluated; its status is the confusion's */
    struct qd_value *out; /* its outputs, once it was evaluated; else NULL */
    bool changed;
};

/* What a rule changes: an operand, the first output, or an attribute's numbers as a tensor (an integer or a
 * float: rank 0). */
struct qd_part {
    const struct qd_confusion *confusion;
    const struct qd_tensor *tensor;
    int64_t n;       /* the mutant's number */
    int64_t nothing; /* the code that stands for 0: the zero point, if it has one */
    int64_t groups;  /* the attribute `group`, 1 if there is none */
};

/* Element i of the part becomes the element source(part, i), with all that is known of it. */
typedef int64_t qd_part_source(const struct qd_part *part, int64_t i);
void qd_confuse_index(struct qd_confusion *confusion, qd_part_source *source);

/* Element i of the part, a code of its type, becomes code(part, i, code). */
typedef int64_t qd_part_code(const struct qd_part *part, int64_t i, int64_t code);
void qd_confuse_code(struct qd_confusion *confusion, qd_part_code *code);

/* Every output becomes grossly wrong: an integer its complement, a float -2x - 1. */
void qd_confuse_grossly(struct qd_confusion *confusion);

/* Operand i becomes `value`, NULL: absent. */
void qd_confuse_operand(struct qd_confusion *confusion, int i, const struct qd_value *value);

/* Whether a mutant's error is made after the node was evaluated. */
bool qd_mutant_is_late(const struct qd_contract_mutant *mutant);

#define QD_RULE(function, word, over, numbers, effect, needs) \
    void qd_rule_##function(struct qd_confusion *confusion);
#define QD_WHEN(function, word, over, numbers, effect, needs) \
    void qd_rule_##function(struct qd_confusion *confusion);
#include "qdiff/contract_rules.def"
#undef QD_RULE
#undef QD_WHEN

#endif
