/* SPDX-License-Identifier: Apache-2.0 */
/* A request as the message Quantize of worker.proto. */
#ifndef QDIFF_QUANTIZER_REQUEST_H
#define QDIFF_QUANTIZER_REQUEST_H

#include "qdiff/quantizer.h"
#include "qdiff/wire.h"

/* Puts everything but the model. */
void qd_request_put(struct qd_wire_out *out, const struct qd_quantizer_request *request);

#endif
