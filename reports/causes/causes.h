/* SPDX-License-Identifier: Apache-2.0 */
/* Causes: the failures of a run, grouped so that one line stands for one bug.
 *
 * Failures of one target, whatever its version and settings, have the same cause if they have the same
 *   row        of an expectations file: they are known, or fixed, and its issue names the cause;
 *   diagnosis  a quirk; what several quirks explain belongs to that one of them which alone explains the most
 *              other failures;
 *   rule       that must-reject cases break, and class: taken, or died of; where nearly no operator checks a rule
 *              or a kind of rules, all of it (rules.h);
 *   message    without numbers and names, class and, unless the message has six words or more, operator;
 *   features   the shortest conjunction of feature words that failures of the operator and class have and no case
 *              has which passes where they fail: found by separate.h, over cases that fail at the same settings
 *              and are as far off (by one code, NaN ...);
 *   rest       of operator, class and distance: nothing tells them apart.
 * The first that applies counts. The grouping is a function of the set of results: their order, jobs and shards do
 * not change it. */
#ifndef QDIFF_REPORTS_CAUSES_H
#define QDIFF_REPORTS_CAUSES_H

#include "causes/separate.h"
#include "result/result.h"

/* QD_CAUSE_BASIS(NAME, word): what the members of a cause have in common. */
#define QD_CAUSE_BASIS_LIST(QD_CAUSE_BASIS) \
    QD_CAUSE_BASIS(ROW, "row")              \
    QD_CAUSE_BASIS(DIAGNOSIS, "diagnosis")  \
    QD_CAUSE_BASIS(RULE, "rule")            \
    QD_CAUSE_BASIS(MESSAGE, "message")      \
    QD_CAUSE_BASIS(FEATURES, "features")    \
    QD_CAUSE_BASIS(REST, "rest")

#define QD_CAUSE_BASIS_ENUM(name, word) QD_CAUSE_##name,
enum qd_cause_basis { QD_CAUSE_BASIS_LIST(QD_CAUSE_BASIS_ENUM) };
#undef QD_CAUSE_BASIS_ENUM

/* A result that is no pass. Strings live as long as the causes. */
struct qd_cause_member {
    const char *id, *op, *target;
    enum qd_result_kind kind;
    enum qd_verdict verdict; /* of FAIL, KNOWN and FIXED */
    const char *message, *diagnosis, *effect, *seen, *rule, *issue, *reason;
    size_t row;
    struct qd_features features;
    const char *distance; /* of wrong numbers: how far they are off, "by one code"; "" */
    int64_t elements;
    size_t weight; /* how long the text of its parameters is */

    /* What groups it. */
    enum qd_cause_basis basis;
    const char *name;                /* the target's, without version and settings */
    const char *key;                 /* quirk, shape of the message, rule, feature words ... */
    struct qd_separation separation; /* FEATURES */
    const char *where;               /* targets on which this case fails, for FEATURES and REST */
};

struct qd_cause {
    const char
        *name; /* "zero-point-before-rounding", "rejects-valid: ...", "wrong-value: float16,!2d" */
    const char *sentence;  /* what is wrong, or what the members have in common */
    const char *target;    /* name without version and settings; "" where no target saw the case */
    const char *ops;       /* "QLinearConv, Conv", the most frequent one first */
    const char *issue;     /* public ids, or the row's issue; "" */
    size_t results, cases; /* one case on two targets: two results */
    const struct qd_cause_member *smallest;
    const char *command; /* that shows it */

    enum qd_cause_basis basis;
    enum qd_result_kind kind; /* of each member */
    size_t first;             /* its members are members[first .. first + results) */
};

/* A case that passed. Names are of struct qd_causes, equal if their addresses are. */
struct qd_cause_pass {
    const char *op, *target, *name,
        *rule; /* name: the target's, without version and settings; rule: of a must-reject case, else "" */
    struct qd_features features;
};

enum { QD_CAUSE_SPELLINGS = 64 };

struct qd_causes {
    struct qd_arena arena;
    size_t
        count; /* after qd_causes_find: the failures first, then what is known; the largest first */
    struct qd_cause *items;
    size_t member_count, member_capacity;
    struct qd_cause_member *members; /* after qd_causes_find: by cause, then by id and target */
    size_t pass_count, pass_capacity;
    struct qd_cause_pass *passes;
    size_t name_count, name_capacity;
    const char **names; /* operators and targets, each once */
    size_t spelling_count;
    struct qd_cause_spelling {
        const char *target, *text;
    } spellings[QD_CAUSE_SPELLINGS];
    const char *directory; /* where the cases are files by their ids; NULL: nowhere. Borrowed */
    bool no_rows;          /* the run was without expectation rows, and so are its commands */
};

void qd_causes_init(struct qd_causes *causes);
void qd_causes_clear(struct qd_causes *causes);

/* Says how a target is given on a command line, where that is not its id: "./libmine.so". Of more than
 * QD_CAUSE_SPELLINGS targets the first ones count. NO_MEMORY only. */
enum qd_status qd_causes_spell(struct qd_causes *causes, const char *target, const char *text,
                               struct qd_error *error);

/* Takes a result, which is copied; before qd_causes_find. Skips are passed over. NO_MEMORY only. */
enum qd_status qd_causes_add(struct qd_causes *causes, const struct qd_result *result,
                             struct qd_error *error);

/* Groups what was added. NO_MEMORY only. */
enum qd_status qd_causes_find(struct qd_causes *causes, struct qd_error *error);

/* Of the results of an operator on a target whose features fulfil the conjunction: how many there are, and how
 * many fail with this class. */
struct qd_cause_counts {
    size_t selected, matched;
};
struct qd_cause_counts qd_causes_count(const struct qd_causes *causes, const char *op,
                                       const char *target, const struct qd_separation *conjunction,
                                       enum qd_verdict class);

/* Whether the cause makes a run fail: it is not known. */
bool qd_cause_is_red(const struct qd_cause *cause);

const char *qd_cause_basis_word(enum qd_cause_basis basis);

#endif
