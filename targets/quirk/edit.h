/* SPDX-License-Identifier: Apache-2.0 */
/* A node about to be evaluated with something changed: what override quirks are written with.
 *
 *     QD_QUIRK_EDIT(bias_dropped, edit)
 *     {
 *         ... changes of `edit`: each does nothing once one has failed ...
 *     }
 *
 * The node, its attributes and its operands are copies; what a change makes lives in the evaluation's arena. */
#ifndef QDIFF_TARGETS_QUIRK_EDIT_H
#define QDIFF_TARGETS_QUIRK_EDIT_H

#include "qdiff/movement.h"
#include "qdiff/override.h"

#define QD_EDIT_ATTRS 80 /* a decoded node has at most 64 */

struct qd_edit {
    struct qd_evaluation evaluation;
    struct qd_semantics semantics; /* of this node alone; free to change */
    struct qd_node node;
    struct qd_attr attrs[QD_EDIT_ATTRS];
    const struct qd_value *in[QD_MAX_OPERANDS];
    enum qd_status status;
};

/* The quirk `name`, qd_quirk_<name>: a node is evaluated as the block that follows leaves it in `edit`. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of parameters */
#define QD_QUIRK_EDIT(name, edit)                                                                \
    static void change(struct qd_edit *edit);                                                    \
    static enum qd_status evaluate(const struct qd_override *self,                               \
                                   struct qd_evaluation *evaluation, const struct qd_node *node, \
                                   const struct qd_value *const *in, struct qd_value *out)       \
    {                                                                                            \
        struct qd_edit changed;                                                                  \
        qd_edit_begin(&changed, evaluation, node, in);                                           \
        change(&changed);                                                                        \
        return qd_edit_run(&changed, self, out);                                                 \
    }                                                                                            \
    const struct qd_override qd_quirk_##name = {.node = evaluate};                               \
    static void change(struct qd_edit *edit)
/* NOLINTEND(bugprone-macro-parentheses) */

/* For a quirk that does more than that: the node as it is. */
void qd_edit_begin(struct qd_edit *edit, const struct qd_evaluation *evaluation,
                   const struct qd_node *node, const struct qd_value *const *in);

/* Evaluates the changed node by what comes after `self`. */
enum qd_status qd_edit_run(struct qd_edit *edit, const struct qd_override *self,
                           struct qd_value *out);

/* The same with entry `e` of operand `i` in the place of each; `edit` stays as it is. */
enum qd_status qd_edit_run_with_entry(const struct qd_edit *edit, const struct qd_override *self,
                                      int i, int64_t e, struct qd_value *out);

/* Attributes: taken away, or set whether it was there or not. */
void qd_edit_drop(struct qd_edit *edit, const char *name);
void qd_edit_int(struct qd_edit *edit, const char *name, int64_t value);
void qd_edit_float(struct qd_edit *edit, const char *name, float value);
void qd_edit_ints(struct qd_edit *edit, const char *name, const int64_t *values, size_t count);
void qd_edit_word(struct qd_edit *edit, const char *name, const char *word);

/* The operands that quirks change: the first data operand, the weight, the bias,
 * and the parameters of these and of the output. */
enum qd_operand {
    QD_X,
    QD_X_SCALE,
    QD_X_ZERO_POINT,
    QD_W,
    QD_W_SCALE,
    QD_W_ZERO_POINT,
    QD_Y_SCALE,
    QD_Y_ZERO_POINT,
    QD_BIAS
};

/* The number of an operand by the operator's row (qd_op_role); −1 if it has none or it is absent. */
int qd_operand_find(const struct qd_edit *edit, enum qd_operand operand);

/* A copy of operand `i` that may be written, put in its place: its canonical values, every element a point. NULL when
 * the operand is absent, i is −1, or memory is short. */
struct qd_tensor *qd_edit_copy(struct qd_edit *edit, int i);

/* A zeroed tensor in operand i's place. NULL when memory is short. */
struct qd_tensor *qd_edit_new(struct qd_edit *edit, int i, enum qd_dtype dtype, unsigned rank,
                              const int64_t *dims);

/* Replaces every code of operand i, the ends of its admissible set included, by change(code, type of i); of the type
 * `dtype` henceforth. */
void qd_edit_map(struct qd_edit *edit, int i, enum qd_dtype dtype,
                 int64_t (*change)(int64_t code, enum qd_dtype dtype));

/* Operand i, if it is of a 16-bit float type, as the same numbers of float32. */
void qd_edit_widen(struct qd_edit *edit, int i);

/* Operand i read as codes of another integer type of the same width; QD_DTYPE_NONE: leaves it. */
void qd_edit_reinterpret(struct qd_edit *edit, int i, enum qd_dtype dtype);

/* An operand of type `from` and its zero point, read as codes of type `to`; of another type or absent: as they are. */
void qd_edit_read_as(struct qd_edit *edit, enum qd_operand operand, enum qd_operand zero_point,
                     enum qd_dtype from, enum qd_dtype to);

/* The type of the other signedness; NONE for what is no integer. */
enum qd_dtype qd_other_sign(enum qd_dtype dtype);

/* Element i of a float32 output computed anew; what is no finite number leaves it. */
void qd_set_float(struct qd_value *y, int64_t i, float number);

/* After the last element that was computed anew: each is a point. */
void qd_close_value(struct qd_value *y);

/* Every element of a tensor set to one code; nothing for NULL. */
void qd_tensor_fill(struct qd_tensor *tensor, int64_t code);

/* Operand i with other elements in another shape: element e is the one that move(context, e) names, of operand i
 * (number 0) or of `other` (number 1, may be NULL), with all that is known of it. */
void qd_edit_move(struct qd_edit *edit, int i, const struct qd_value *other, unsigned rank,
                  const int64_t *dims, qd_move_map *move, const void *context);

/* An output of integers read as the type of the other signedness. */
void qd_value_flip_sign(struct qd_value *value);

/* For qd_edit_move(): the last two axes, both of size *context, change places. */
struct qd_source qd_source_transposed(const void *context, int64_t i);

/* Entry c of a scale or zero point of one element or several, as a number; 0 where there is none: nobody has checked
 * its shape yet. */
double qd_parameter_at(const struct qd_value *parameter, int64_t c);

/* The nearest int32, 0 for NaN. */
int64_t qd_round_to_s32(double x);

#endif
