/* SPDX-License-Identifier: Apache-2.0 */
/* The reference interpreter: whole graphs on canonical values and admissible intervals. */
#ifndef QDIFF_EVALUATE_H
#define QDIFF_EVALUATE_H

#include "qdiff/graph.h"
#include "qdiff/sample.h"
#include "qdiff/semantics.h"
#include "qdiff/value.h"

/* The newest opset of the default domain whose operators were read: onnx 1.21. A newer one may have
 * changed any. */
#define QD_MAX_OPSET 26

/* What evaluating one case may cost, in integer multiply-accumulates (some 10 seconds); beyond is
 * LIMIT: a hostile model of 150 bytes could ask for hours. Other work is weighed against them. */
#define QD_MAX_WORK 0x1p36
#define QD_WORK_ELEMENT 16 /* one operand element */
#define QD_WORK_FLOAT 128  /* one product of intervals */
#define QD_WORK_POOL 400   /* one tap of a pool */

/* Operands a node may have at most, in a row of the list too. */
#define QD_MAX_OPERANDS 32

/* Everything an operator needs besides its inputs. */
struct qd_evaluation {
    const struct qd_semantics *semantics;
    struct qd_arena *arena;
    struct qd_error *error;
    bool keep_reals;          /* give codes their `real` (value.h) */
    double *work;             /* what is left of QD_MAX_WORK for the whole case; NULL: no limit */
    struct qd_sample *sample; /* NULL: products are computed whole or not at all */
    bool hidden; /* nothing shows more of the node's output than its hull: no `points` are needed */
};

/* How an element of an operator's first output comes about. */
enum qd_form {
    QD_FORM_NONE, /* no operator's */
    QD_FORM_MOVES, /* it is an element of a data operand or a filler, brought to the output's scale if there is one */
    QD_FORM_QUANTIZES,      /* x divided by a scale */
    QD_FORM_DEQUANTIZES,    /* x times a scale */
    QD_FORM_ADDS,           /* x + weight, at the same place */
    QD_FORM_MULTIPLIES,     /* x · weight, at the same place */
    QD_FORM_ELEMENTWISE,    /* another function of what stands at the same place */
    QD_FORM_CONVOLVES,      /* a sum of products with the weight, plus the bias: a convolution, */
    QD_FORM_CONVOLVES_BACK, /* a transposed one, */
    QD_FORM_MATRICES,       /* or a product of matrices */
    QD_FORM_MEAN,           /* of a window or of axes */
    QD_FORM_LARGEST,        /* of a window or of axes */
    QD_FORM_MANY            /* another function of many elements */
};

/* One operator. Each lives in reference/ops/<file>.c as `const struct qd_op qd_op_<file>` and has one row in
 * reference/include/qdiff/ops.def. */
struct qd_op {
    const char *domain; /* "" or "com.microsoft" */
    const char *name;   /* op_type */
    int64_t since;      /* first opset of the domain that has it */
    unsigned min_inputs, max_inputs, outputs;
    uint32_t optional; /* bit i: input i may be absent although it is one of the first min_inputs */
    /* The specification takes any number of what it has more of, inputs or outputs: beyond ours is LIMIT, not
     * INVALID. */
    bool variadic;
    /* What each output is where no attribute says it, whatever the operands are; NONE: it depends on them. */
    enum qd_dtype gives;
    /* The inputs' names, comma-separated. "<operand>_scale" and "<operand>_zero_point" are the parameters of the
     * operand of that name before them (in any case), of the output if there is none. After a ':' stands what the name
     * does not say: "weight", "bias", "control" (shapes, axes, indices, bounds: no number that is computed with),
     * "scale", "zero_point"; the rest is data. A '*' begins what repeats. */
    const char *operands;
    enum qd_form form;
    /* The sentence that fixes the values: what a wrong number breaks. Quoted from the operator's page of the opset
     * before the ':' ("13: ..."), the newest whose page has it, without its markup; "..." leaves words out. Of a
     * vendor's operator from the vendor's page. Where older pages have other words, a line for each of them follows,
     * with the opset before which it counts: "13: ...\n11<13: ...". */
    const char *clause;
    /* The function is not rational, and the page gives no bound for its accuracy. */
    bool approximate;
    /* The page says neither how a number between two codes is rounded nor that the zero point is added afterwards. */
    bool rounding_open;
    /* The attributes of all its versions, comma-separated: "axis", "axis:13-" since opset 13, "axes:-12" up to 12. Any
     * other is INVALID, rule attribute-unknown. NULL: not listed, nothing is checked. */
    const char *attributes;
    /* Those of them that are 0 or 1 by the page, comma-separated: of other numbers no page says which of the two they
     * mean. NULL: none. */
    const char *flags;
    /* The slugs of the rules that evaluate may break, comma-separated, without those that every
     * operator has (qd_op_rule); breaking another is INTERNAL. NULL: not listed. */
    const char *rules;
    /* Checks types, shapes and attributes by the specification's rules (INVALID names the rule),
     * allocates out[0..outputs) and computes them. in[i] is NULL for an absent optional input. */
    enum qd_status (*evaluate)(struct qd_evaluation *evaluation, const struct qd_node *node,
                               const struct qd_value *const *in, struct qd_value *out);
};

/* Takes `units` of the case's work; LIMIT when not so much is left. Called before the work is
 * done. */
enum qd_status qd_spend(const struct qd_evaluation *evaluation, double units);

/* Fails with INVALID and the rule "<op_type>/<slug>"; the text gets "<op_type>: " before it. */
enum qd_status qd_node_rule(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *slug, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The operator's row, NULL if the reference has none of that name. domain NULL or "ai.onnx" means
 * "". */
const struct qd_op *qd_op_find(const char *domain, const char *name);

/* What an input of an operator is, by its row: the only place that says so. An operator has at most one weight: the
 * second operand of a product or of arithmetic on two tensors. DATA past the row's end and for op NULL. */
enum qd_role {
    QD_ROLE_DATA,
    QD_ROLE_SCALE,
    QD_ROLE_ZERO_POINT,
    QD_ROLE_BIAS,
    QD_ROLE_WEIGHT,
    QD_ROLE_CONTROL
};
enum qd_role qd_op_role(const struct qd_op *op, size_t input);

/* A scale or a zero point. */
bool qd_op_is_parameter(const struct qd_op *op, size_t input);

/* The name of input i in the row, *length 0 when it has none. */
const char *qd_op_operand_name(const struct qd_op *op, size_t input, size_t *length);

/* Instead of an operand's number. */
#define QD_NO_OPERAND (-1)
#define QD_OPERAND_OUTPUT (-2)

/* The first input with a role, QD_NO_OPERAND if there is none. */
int qd_op_operand(const struct qd_op *op, enum qd_role role);

/* Whose parameter an input is: an operand's number, QD_OPERAND_OUTPUT, or QD_NO_OPERAND if it is no parameter. One
 * without a stem ("scales") is the weight's. */
int qd_op_owner(const struct qd_op *op, size_t input);

/* Whether the row says that an attribute is 0 or 1. */
bool qd_op_is_flag(const struct qd_op *op, const char *attribute);

/* The input that is the SCALE or ZERO_POINT of an operand or of the output; QD_NO_OPERAND if the row has none. */
int qd_op_parameter(const struct qd_op *op, int owner, enum qd_role role);

/* Writes rule i of the operator, "<name>/<slug>": first opset (if it came later than 1), input-count, input-missing (if
 * it takes more than one), output-count, attribute-unknown and attribute-type (if it has attributes), then its own.
 * False past the end and for an operator that lists none. */
bool qd_op_rule(const struct qd_op *op, size_t i, char *rule, size_t size);

/* Row i of the list, NULL past its end. */
const struct qd_op *qd_op_at(size_t i);

/* Evaluates the graph. `inputs` has graph->input_count tensors in graph->inputs' order. On OK
 * `outputs` has graph->output_count values whose memory is the arena's (or borrowed from inputs and
 * initializers). INVALID: the model or the inputs break a rule (error->rule says which);
 * UNSUPPORTED: an operator, type or attribute the reference does not have; LIMIT, NO_MEMORY.
 * semantics NULL means the defaults. */
enum qd_status qd_graph_evaluate(const struct qd_graph *graph, const struct qd_tensor *inputs,
                                 const struct qd_semantics *semantics, struct qd_arena *arena,
                                 struct qd_value *outputs, struct qd_error *error);

/* The same, and codes that were rounded carry the exact number they were rounded from (value.h,
 * `real`). Slower: for the one case that somebody looks at. */
enum qd_status qd_graph_explain(const struct qd_graph *graph, const struct qd_tensor *inputs,
                                const struct qd_semantics *semantics, struct qd_arena *arena,
                                struct qd_value *outputs, struct qd_error *error);

/* Either of them with another limit than QD_MAX_WORK: a fuzzer's cases have to be quick. */
enum qd_status qd_graph_evaluate_within(double work, bool keep_reals, const struct qd_graph *graph,
                                        const struct qd_tensor *inputs,
                                        const struct qd_semantics *semantics,
                                        struct qd_arena *arena, struct qd_value *outputs,
                                        struct qd_error *error);

/* qd_graph_evaluate_within, under the default semantics; products of a node that cost more than sample->work are
 * computed in part (sample.h). NULL: all of them are. */
enum qd_status qd_graph_evaluate_sample(double work, struct qd_sample *sample,
                                        const struct qd_graph *graph,
                                        const struct qd_tensor *inputs, struct qd_arena *arena,
                                        struct qd_value *outputs, struct qd_error *error);

#endif
