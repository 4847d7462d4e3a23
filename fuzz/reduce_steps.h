/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the reducer: candidates for a smaller case, in a fixed order. Internal to the fuzz layer. */
#ifndef QDIFF_FUZZ_REDUCE_STEPS_H
#define QDIFF_FUZZ_REDUCE_STEPS_H

#include "qdiff/case_edit.h"

struct qd_ties;

/* The smallest case so far. */
struct qd_reduce_view {
    const struct qd_case *kase;
    const struct qd_value *values; /* of its outputs; NULL: the reference refuses it */
    bool differs;                  /* some element does: this one first */
    size_t output;
    int64_t element;
    struct qd_arena *arena; /* lives as long as the case is the smallest */
    struct qd_ties *ties;   /* made when first needed */
};

enum qd_step {
    QD_STEP_TRY,  /* the edit was made */
    QD_STEP_SKIP, /* nothing to do under this number; the edit is as it was */
    QD_STEP_END   /* nothing from here on */
};

/* Makes candidate `number` out of `edit`, which holds the view's case: its values have the graph's indices. */
typedef enum qd_step qd_reduce_step(struct qd_reduce_view *view, struct qd_case_edit *edit,
                                    size_t number);

/* reduce_before.c */
qd_reduce_step qd_reduce_to_step; /* what a step runs is the case, without steps */
qd_reduce_step qd_reduce_closed;  /* every axis has a number; steps with others go */
qd_reduce_step qd_reduce_before;  /* a step before the case less, or a run of it */
qd_reduce_step qd_reduce_lengths; /* an open axis is shorter in a step */

/* reduce_nodes.c */
qd_reduce_step qd_reduce_outputs;   /* one output less */
qd_reduce_step qd_reduce_tail;      /* a value in between becomes the only output */
qd_reduce_step qd_reduce_head;      /* a computed value becomes an input */
qd_reduce_step qd_reduce_bypass;    /* a node is left out */
qd_reduce_step qd_reduce_constants; /* a run-time input becomes an initializer */
qd_reduce_step qd_reduce_optional;  /* an optional operand is left out */
qd_reduce_step qd_reduce_variadic;  /* one operand less of an operator that takes any number */

/* reduce_shapes.c */
qd_reduce_step qd_reduce_reshape; /* a Reshape takes whatever there is, along its first axis */
qd_reduce_step qd_reduce_shapes;

/* reduce_numbers.c */
qd_reduce_step qd_reduce_attributes;  /* defaults, smaller numbers */
qd_reduce_step qd_reduce_granularity; /* one scale and zero point for the tensor */
qd_reduce_step qd_reduce_parameters;  /* simple scales and zero points */
qd_reduce_step qd_reduce_data;        /* zeros, zero points, small and round numbers */

/* Takes out nodes that nothing reads. */
void qd_reduce_prune(struct qd_case_edit *edit);

/* What lies in [begin, begin + length) of each `block` along an axis. */
struct qd_part {
    unsigned axis;
    int64_t block, begin, length;
};

/* A tensor of that; NULL: out of memory. */
struct qd_tensor *qd_reduce_slice(const struct qd_tensor *tensor, struct qd_part part,
                                  struct qd_arena *arena);

/* Of what each step with the case's own model has for an input, that part is left. False: out of
 * memory. */
bool qd_reduce_slice_steps(struct qd_case_edit *edit, const struct qd_case_edit_value *value,
                           struct qd_part part);

/* Steps with the case's own model have tensors of their own for a new input, in their order;
 * those of other steps are not looked at. False: out of memory. */
bool qd_reduce_feed_steps(struct qd_case_edit *edit, struct qd_case_edit_value *value,
                          const struct qd_tensor *tensors);

#endif
