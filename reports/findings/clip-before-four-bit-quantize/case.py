"""Clip or Relu before a QuantizeLinear to four bits fails in the optimizer"""
from frames.onnxruntime import Case, main

main([
    Case('Clip, then uint4', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[2] x) => (float[2] y)
        <float s = {1}, uint4 z = {0}>
        {
            c = Clip (x)
            q = QuantizeLinear (c, s, z)
            y = DequantizeLinear (q, s, z)
        }""",
        feed={'x': [1.0, 3.0]}, want={'y': [1.0, 3.0]}),
])
