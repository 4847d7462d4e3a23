"""QuantizeLinear: quotients of −2³¹ and beyond wrap instead of saturating"""
from frames.onnxruntime import Case, main

main([
    Case('QuantizeLinear: quotients of −2³¹ and beyond wrap instead of saturating', """<ir_version: 9, opset_import: ["" : 19]>
        case (float16[6] x) => (int8[6] y)
        <float16 y_scale = {16}, int8 y_zero_point = {-128}>
        { y = QuantizeLinear (x, y_scale, y_zero_point) }""",
        feed={'x': [float('inf'), float('-inf'), 60000.0, -60000.0, 1.0, -1.0]}, want={'y': [127, -128, 127, -128, 127, -128]}),
])
