/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-unscaled-nan-0": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

QD_QUIRK_LAYER_IN_FLOATS(bias_unscaled_nan_0, .step = qd_no_step, .has_infinities = true,
                         .nan_is_0 = true)
