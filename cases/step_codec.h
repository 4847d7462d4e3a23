/* SPDX-License-Identifier: Apache-2.0 */
/* The steps before a case, decoded and encoded. Internal to the cases layer; case_codec.c's other half. */
#ifndef QDIFF_CASES_STEP_CODEC_H
#define QDIFF_CASES_STEP_CODEC_H

#include "case.pb-c.h"
#include "case_codec.h"

/* Reads `before` into kase->steps, whose graph is decoded; `wire` are the bytes that the message was unpacked from.
 * LIMIT: more steps or runs than there may be; INVALID: tensors that the model does not take; NO_MEMORY,
 * UNSUPPORTED. */
enum qd_status qd_case_read_steps(const Qdiff__Case *proto, struct qd_wire wire,
                                  struct qd_arena *arena, struct qd_case *kase,
                                  struct qd_error *error);
void qd_case_put_steps(struct qd_wire_out *out, const struct qd_case *kase);

/* Whether the tensor is of the type and shape that the value is declared with. */
bool qd_case_fits(const struct qd_graph_value *value, const struct qd_tensor *tensor);

/* Tensors of a field that errors name, and the opposite. */
enum qd_status qd_case_read_tensors(size_t count, Onnx__TensorProto **protos, const char *field,
                                    struct qd_arena *arena, const struct qd_tensor **tensors,
                                    struct qd_error *error);
void qd_case_put_tensors(struct qd_wire_out *out, uint32_t field, const struct qd_tensor *tensors,
                         size_t count);

#endif
