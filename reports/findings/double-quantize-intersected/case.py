"""Two quantizations in a row become one with parameters of neither"""
from frames.onnxruntime import Case, main

main([
    Case('steps of 2, then of 1/2', """<ir_version: 10, opset_import: ["" : 13]>
        case (float[1] x) => (float[1] y)
        <float s1 = {2}, uint8 z1 = {0}, float s2 = {0.5}, uint8 z2 = {0}>
        {
            [QuantizeLinear_a] a = QuantizeLinear (x, s1, z1)
            [DequantizeLinear_b] b = DequantizeLinear (a, s1, z1)
            [QuantizeLinear_c] c = QuantizeLinear (b, s2, z2)
            [DequantizeLinear_y] y = DequantizeLinear (c, s2, z2)
        }""",
        feed={'x': [1.5]}, want={'y': [2.0]}),
    Case('steps of 1 with the zero points 0 and 55', """<ir_version: 10, opset_import: ["" : 13]>
        case (float[1] x) => (float[1] y)
        <float s1 = {1}, uint8 z1 = {0}, float s2 = {1}, uint8 z2 = {55}>
        {
            [QuantizeLinear_a] a = QuantizeLinear (x, s1, z1)
            [DequantizeLinear_b] b = DequantizeLinear (a, s1, z1)
            [QuantizeLinear_c] c = QuantizeLinear (b, s2, z2)
            [DequantizeLinear_y] y = DequantizeLinear (c, s2, z2)
        }""",
        feed={'x': [1.0]}, want={'y': [1.0]}),
])
