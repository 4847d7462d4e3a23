/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers of onnx.proto, and the messages that importers write, for those inside cases/. */
#ifndef QDIFF_CASES_GRAPH_WIRE_H
#define QDIFF_CASES_GRAPH_WIRE_H

#include "qdiff/tensor.h"
#include "qdiff/wire.h"

enum {
    QD_MODEL_IR_VERSION = 1,
    QD_MODEL_GRAPH = 7,
    QD_MODEL_OPSET_IMPORT = 8,
    QD_MODEL_FUNCTION = 25
};
enum {
    QD_GRAPH_NODE = 1,
    QD_GRAPH_NAME = 2,
    QD_GRAPH_INITIALIZER = 5,
    QD_GRAPH_INPUT = 11,
    QD_GRAPH_OUTPUT = 12,
    QD_GRAPH_VALUE_INFO = 13
};
enum { QD_TENSOR_NAME = 8 };

/* IR versions that a cut model has: before 4 every initializer had to be a graph input too; 13 is the newest that
 * is read. */
int64_t qd_ir_version_of_cut(int64_t ir_version);

/* A ValueInfoProto as field `number`; dtype NONE: of no type; `shape` NULL: of no shape. */
void qd_wire_put_info(struct qd_wire_out *out, uint32_t number, const char *name,
                      enum qd_dtype dtype, const struct qd_tensor *shape);

#endif
