/* SPDX-License-Identifier: Apache-2.0 */
/* From an unpacked onnx.ModelProto to a graph. */
#ifndef QDIFF_CASES_MODEL_H
#define QDIFF_CASES_MODEL_H

#include "onnx/onnx.pb-c.h"
#include "qdiff/graph.h"

/* The graph borrows texts and raw data from the message. *opset is the imported version of the default domain, 0
 * when the model imports none. INVALID, UNSUPPORTED, LIMIT, NO_MEMORY. */
enum qd_status qd_graph_of_model(const Onnx__ModelProto *model, struct qd_arena *arena,
                                 const struct qd_graph **graph, int64_t *opset,
                                 struct qd_error *error);

/* The attributes of one node. */
enum qd_status qd_attrs_of_node(const Onnx__NodeProto *node, struct qd_arena *arena,
                                const struct qd_attr **attrs, struct qd_error *error);

#endif
