/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "bias-times-x-scale": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

static float step(float x_scale, float w_scale)
{
    (void)w_scale;
    return x_scale;
}

QD_QUIRK_LAYER_IN_FLOATS(bias_times_x_scale, .step = step)
