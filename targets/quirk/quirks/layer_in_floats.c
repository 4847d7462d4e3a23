/* SPDX-License-Identifier: Apache-2.0 */
/* The quirk "layer-in-floats": targets/include/qdiff/quirks.def says what it is. */
#include "quirk/in_floats.h"

QD_QUIRK_LAYER_IN_FLOATS(layer_in_floats, .step = qd_product_of_scales)
