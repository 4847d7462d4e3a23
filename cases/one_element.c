/* SPDX-License-Identifier: Apache-2.0 */
#include "one_element.h"

#include <string.h>

#include "qdiff/features.h"
#include "twin.h"

enum extent { ALL, OF_THE_WEIGHT, OF_THE_REST, EXTENTS };

/* Whether input i of the node is a scalar that becomes a vector. */
static bool is_scalar_parameter(const struct qd_case_edit *edit,
                                const struct qd_case_edit_node *node, size_t i, enum extent extent)
{
    const struct qd_op *op = qd_op_find(node->domain, node->op_type);
    int value = node->inputs[i];
    if (!op || value == QD_NO_VALUE || !edit->values[value].tensor ||
        edit->values[value].tensor->rank != 0)
        return false;
    bool bound = qd_op_role(op, i) == QD_ROLE_CONTROL && strcmp(node->op_type, "Clip") == 0;
    if (!qd_op_is_parameter(op, i) && !bound)
        return false;
    bool weight = !bound && qd_op_owner(op, i) == qd_op_operand(op, QD_ROLE_WEIGHT);
    return extent == ALL || weight == (extent == OF_THE_WEIGHT);
}

/* How many were turned. */
static enum qd_status turn(struct qd_case_edit *edit, enum extent extent, size_t *turned,
                           struct qd_error *error)
{
    for (size_t n = 0; n < edit->node_count; n++)
        for (size_t i = 0; i < edit->nodes[n].input_count; i++) {
            if (!is_scalar_parameter(edit, &edit->nodes[n], i, extent))
                continue;
            struct qd_case_edit_value *value = &edit->values[edit->nodes[n].inputs[i]];
            struct qd_tensor *vector = qd_arena_alloc(edit->arena, sizeof *vector);
            if (!vector)
                return qd_fail(error, QD_NO_MEMORY, "no room for a vector of one element");
            *vector = *value->tensor;
            vector->rank = 1;
            vector->dims[0] = 1;
            value->tensor = vector;
            ++*turned;
        }
    return QD_OK;
}

/* Whether a vector stands where a page says scalar (an axis may have one element), and the reference takes it: some of
 * the vendor's operators take scalars alone. */
static bool is_wanted(const struct qd_case *twin)
{
    struct qd_features features;
    qd_case_features(twin, &features);
    if (!qd_features_has(&features, QD_FEATURE_ONE_ELEMENT_VECTOR))
        return false;
    return !strchr(twin->op, ':') || qd_twin_is_valid(twin);
}

enum qd_status qd_one_element_twin(const struct qd_case *kase, struct qd_arena *arena, bool *made,
                                   struct qd_case *twin, struct qd_error *error)
{
    struct qd_random random = qd_random_seed(kase->id, 0);
    struct qd_case_edit edit;
    size_t turned = 0;
    *made = false;
    if (!qd_twin_is_picked(kase, &random))
        return QD_OK;
    enum extent extent = (enum extent)(qd_random_next(&random) % EXTENTS);
    enum qd_status status = qd_case_edit_begin(kase, arena, &edit, error);
    if (status == QD_OK)
        status = turn(&edit, extent, &turned, error);
    if (status == QD_OK && turned == 0)
        status = turn(&edit, ALL, &turned, error);
    if (status != QD_OK || turned == 0)
        return status;
    status = qd_twin_finish(&edit, kase, "one_element", QD_TWIN_NOTE_SCALARS, twin, error);
    *made = status == QD_OK && is_wanted(twin);
    return status;
}
