/* SPDX-License-Identifier: Apache-2.0 */
/* Means of codes computed anew: of QLinearReduceMean and QLinearGlobalAveragePool. */
#ifndef QDIFF_TARGETS_QUIRK_MEANS_H
#define QDIFF_TARGETS_QUIRK_MEANS_H

#include "qdiff/override.h"

struct qd_means {
    unsigned axes; /* that are reduced, by bit */
    bool keeps;    /* them in the output's shape */
    int64_t terms; /* of each mean */
    int64_t depth; /* the last axis of x */
    int64_t *sums; /* of the codes as they are, for each element of the output */
    double x_scale, y_scale;
    int64_t x_zero_point, y_zero_point;
};

/* The code of element i without its limits. */
typedef int64_t qd_mean_function(const struct qd_means *means, int64_t i);

/* Which axes a node reduces, by bit: those of its attribute, all without; of a pool those after the channels. */
unsigned qd_mean_axes(const struct qd_node *node, const struct qd_tensor *x);

/* The number of the output's element to which element i of x belongs, where `axes` are reduced. */
int64_t qd_reduced_index(const struct qd_tensor *x, unsigned axes, int64_t i);

/* Evaluates the node by what comes after `self`, and if `fits` (NULL: always) computes each code of its output anew. */
enum qd_status qd_means_set(const struct qd_override *self, struct qd_evaluation *evaluation,
                            const struct qd_node *node, const struct qd_value *const *in,
                            bool (*fits)(const struct qd_means *means, const struct qd_tensor *x),
                            qd_mean_function *f, struct qd_value *out);

#endif
