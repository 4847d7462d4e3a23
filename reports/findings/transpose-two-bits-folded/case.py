"""A Transpose of a constant of two bits and 128 bytes or more is refused once it is folded"""
from frames.onnxruntime import Case, main

from onnx import TensorProto, helper


def total(name, kind, rows):
    """The sum of rows of 1 0 0 0. The scale is fed, so that DequantizeLinear is not folded, too."""
    codes = helper.make_tensor('codes', kind, [rows, 4], [1, 0, 0, 0] * rows)
    return Case('%s, %d elements' % (name, 4 * rows), """<ir_version: 12, opset_import: ["" : 25]>
        case (float s) => (float y)
        {
            t = Transpose (codes)
            f = DequantizeLinear (t, s)
            y = ReduceSum <keepdims = 0> (f)
        }""",
        feed={'s': [1.0]}, want={'y': [float(rows)]}, constants={'codes': codes})


main([
    total('int2', TensorProto.INT2, 128),
    total('uint2', TensorProto.UINT2, 128),
    total('int2', TensorProto.INT2, 127),
    total('int4', TensorProto.INT4, 128),
])
