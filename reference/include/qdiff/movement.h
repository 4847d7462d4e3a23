/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that move elements without computing: one mechanism carries canonical values, hulls and
 * flags along.
 *
 * Source: the ONNX specification of Concat, Expand, Flatten, Gather, Identity, Reshape, Slice,
 * Split, Squeeze, Transpose and Unsqueeze; reference/ops/ has each one's contract.
 *
 * A broken rule is INVALID and names it. Moving fails with LIMIT (the shape, or more work than is
 * left) and NO_MEMORY; outputs are untouched then. */
#ifndef QDIFF_MOVEMENT_H
#define QDIFF_MOVEMENT_H

#include "qdiff/evaluate.h"

/* --- Moving ----------------------------------------------------------------------------------- */

/* Where an output element comes from: element `index` of operand number `operand`. */
struct qd_source {
    size_t operand;
    int64_t index;
};
typedef struct qd_source qd_move_map(const void *context, int64_t i);

/* *out, in the arena, gets the operands' (one) type and the given shape; element i is the operand
 * element that map(context, i) names, with all that is known of it. count ≥ 1. */
enum qd_status qd_move(const struct qd_evaluation *evaluation,
                       const struct qd_value *const *operands, size_t count, unsigned rank,
                       const int64_t *dims, qd_move_map *map, const void *context,
                       struct qd_value *out);

/* One operand: element at coordinates c comes from index offset + Σ c[k]·stride[k], which has to
 * lie inside x. */
enum qd_status qd_move_strided(const struct qd_evaluation *evaluation, const struct qd_value *x,
                               unsigned rank, const int64_t *dims, int64_t offset,
                               const int64_t *stride, struct qd_value *out);

/* The same elements in another shape of as many elements; borrows x's memory.
 * INTERNAL: another number of elements. */
enum qd_status qd_move_reshape(const struct qd_evaluation *evaluation, const struct qd_value *x,
                               unsigned rank, const int64_t *dims, struct qd_value *out);

/* Row-major strides of a tensor: strides[k] elements lie between neighbours along axis k. */
void qd_strides_of(const struct qd_tensor *tensor, int64_t *strides);

/* --- Types, axes, lists ----------------------------------------------------------------------- */

/* Rule <name>-type unless the operator takes x's type at the node's opset. The specifications
 * extend their lists alike: f32 f16 f64 always; since `all_since` also bool u8 s8 u16 s16 s32 s64;
 * since 13 bf16; and, if float8_since is not 0, since float8_since float8, 21 u4 s4, 23 f4e2m1, 24
 * f8e8m0, 25 u2 s2. */
enum qd_status qd_movement_type(const struct qd_evaluation *evaluation, const struct qd_node *node,
                                const char *name, const struct qd_tensor *x, int64_t all_since,
                                int64_t float8_since);

/* An axis out of [−rank, rank − 1], made non-negative; rule `slug` outside. Before opset
 * negative_since the specification does not mention negative axes: UNSUPPORTED. */
enum qd_status qd_axis_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *slug, int64_t axis, int64_t rank, int64_t negative_since,
                            int64_t *out);

/* Integers that are an attribute up to some opset and an input from then on. */
struct qd_list {
    bool present;
    size_t count;
    const int64_t *values; /* the arena's or the node's */
};

/* Reads list `name`: from input `value` (NULL if absent) at opset ≥ input_since, else from the
 * attribute. Rules:
 * attribute-unknown (the attribute since then), input-count (the input before), <name>-type (input
 * not of `types`, 1 << enum qd_dtype), <name>-rank (rank above 1). UNSUPPORTED: a scalar, and an
 * input that is no point. */
enum qd_status qd_list_read(const struct qd_evaluation *evaluation, const struct qd_node *node,
                            const char *name, const struct qd_value *value, int64_t input_since,
                            uint32_t types, struct qd_list *list);

#endif
