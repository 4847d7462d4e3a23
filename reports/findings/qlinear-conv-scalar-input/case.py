"""QLinearConv of a scalar that comes at run time ends the process"""
from frames.onnxruntime import Case, main

main([
    Case('x is a scalar, which only the run shows', """<ir_version: 10, opset_import: ["" : 21]>
        case (float[1,1] r, int64[2] axes) => (uint8 y)
        <float s = {1}, uint8 z = {0}, int8[1,1,1] w = {0}, int8 wz = {0}>
        {
          m = ReduceMean <keepdims = 0> (r, axes)
          q = QuantizeLinear (m, s)
          y = QLinearConv (q, s, z, w, s, wz, s, z)
        }""",
        feed={'r': [[0]], 'axes': [0, 1]}, want=None),
])
