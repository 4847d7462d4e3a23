/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of onnx.proto that importers write. */
#include "graph_wire.h"

#include "qdiff/dtype.h"

enum { INFO_NAME = 1, INFO_TYPE = 2, TYPE_TENSOR = 1, TENSOR_TYPE_ELEM = 1, TENSOR_TYPE_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1 };

int64_t qd_ir_version_of_cut(int64_t ir_version)
{
    return ir_version < 4 ? 4 : ir_version > 13 ? 13 : ir_version;
}

static void put_shape(struct qd_wire_out *out, const struct qd_tensor *shape)
{
    size_t mark = qd_wire_begin(out, TENSOR_TYPE_SHAPE);
    for (unsigned i = 0; i < shape->rank; i++) {
        size_t dim = qd_wire_begin(out, SHAPE_DIM);
        qd_wire_put_varint(out, DIM_VALUE, (uint64_t)shape->dims[i]);
        qd_wire_end(out, dim);
    }
    qd_wire_end(out, mark);
}

void qd_wire_put_info(struct qd_wire_out *out, uint32_t number, const char *name,
                      enum qd_dtype dtype, const struct qd_tensor *shape)
{
    size_t info = qd_wire_begin(out, number);
    qd_wire_put_text(out, INFO_NAME, name);
    if (dtype != QD_DTYPE_NONE) {
        size_t type = qd_wire_begin(out, INFO_TYPE), tensor = qd_wire_begin(out, TYPE_TENSOR);
        qd_wire_put_varint(out, TENSOR_TYPE_ELEM, (uint64_t)qd_dtype_info(dtype)->onnx);
        if (shape)
            put_shape(out, shape);
        qd_wire_end(out, tensor);
        qd_wire_end(out, type);
    }
    qd_wire_end(out, info);
}
