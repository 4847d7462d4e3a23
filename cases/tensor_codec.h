/* SPDX-License-Identifier: Apache-2.0 */
/* onnx.TensorProto and struct qd_tensor, for those inside cases/ that hold an unpacked message. */
#ifndef QDIFF_CASES_TENSOR_CODEC_H
#define QDIFF_CASES_TENSOR_CODEC_H

#include "onnx/onnx.pb-c.h"

#include "qdiff/tensor.h"
#include "qdiff/wire.h"

/* The tensor of an unpacked message; raw_data is borrowed from it. INVALID: the message contradicts itself;
 * UNSUPPORTED: a type, external data, segments; LIMIT: too many elements or dimensions. */
enum qd_status qd_tensor_of_proto(const Onnx__TensorProto *proto, struct qd_arena *arena,
                                  struct qd_tensor *tensor, struct qd_error *error);

/* Writes the fields of a TensorProto, elements as raw_data. */
void qd_tensor_put(struct qd_wire_out *out, const struct qd_tensor *tensor, const char *name);

#endif
