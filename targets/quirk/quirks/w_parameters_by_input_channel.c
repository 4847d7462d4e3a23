/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "w-parameters-by-input-channel": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

QD_QUIRK_LAYER_IN_FLOATS(w_parameters_by_input_channel, .step = qd_product_of_scales, .w_axis = 1)
