/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "layer-in-floats-with-infinities": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

QD_QUIRK_LAYER_IN_FLOATS(layer_in_floats_with_infinities, .step = qd_product_of_scales,
                         .has_infinities = true)
