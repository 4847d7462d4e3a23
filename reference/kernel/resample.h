/* SPDX-License-Identifier: Apache-2.0 */
/* Where an output position of a resized axis looks in the input, as the set that float32 and more
 * exact arithmetic may compute.
 *
 * Source: the ONNX specification of Resize, attribute coordinate_transformation_mode; the orders of
 * evaluation in reference/README.md. */
#ifndef QDIFF_REFERENCE_RESAMPLE_H
#define QDIFF_REFERENCE_RESAMPLE_H

#include <stdint.h>

#include "qdiff/interval.h"

enum qd_resample_mode {
    QD_HALF_PIXEL,
    QD_HALF_PIXEL_SYMMETRIC,
    QD_PYTORCH_HALF_PIXEL,
    QD_ALIGN_CORNERS,
    QD_ASYMMETRIC,
    QD_TF_CROP_AND_RESIZE,
    QD_TF_HALF_PIXEL_FOR_NN,
    QD_RESAMPLE_MODES
};

/* One axis of `in` > 0 and `out` elements. */
struct qd_resample_axis {
    int64_t in, out;
    bool resized;      /* false: output position o shows input position o */
    double scale;      /* as the model gives it; 0: out / in */
    double start, end; /* of the region, in parts of the axis; QD_TF_CROP_AND_RESIZE alone */
};

/* A mode by its word; false: the opset has none of that name. */
bool qd_resample_mode_find(const char *word, int64_t opset, enum qd_resample_mode *mode);

/* The coordinates that output position o may have: the hull of the division by the scale and of the
 * product with its reciprocal (an align_corners or crop step computed first or last), each step
 * rounded down and up to float32, and exact. A point where nothing rounds. A scale that the model
 * gives and out / in are both permitted: the specification names the latter, ONNX's own results use
 * the former. False: the specification divides 0 by 0 (align_corners with one output). */
bool qd_resample_coordinate(enum qd_resample_mode mode, const struct qd_resample_axis *axis,
                            int64_t o, struct qd_interval *x);

/* num / den, den > 0. */
struct qd_fraction {
    int64_t num, den;
};

/* The coordinate itself, by the scale that the model gives or else by out / in. False: no fraction is
 * known (tf_crop_and_resize, a scale with more than 24 binary places, a longer axis than
 * QD_EXACT_LENGTH), or there is none (align_corners with one output). */
#define QD_EXACT_LENGTH (1 << 20)
bool qd_resample_exactly(enum qd_resample_mode mode, const struct qd_resample_axis *axis, int64_t o,
                         struct qd_fraction *x);

/* floor(in·extent·scale) with extent = end − start; false: float32 and exact arithmetic do not
 * agree, or it is beyond `most`. */
bool qd_resample_size(const struct qd_resample_axis *axis, double scale, int64_t most,
                      int64_t *out);

#endif
