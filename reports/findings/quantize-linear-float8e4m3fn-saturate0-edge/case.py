"""QuantizeLinear to float8e4m3fn, saturate = 0: 448 where the value overflows"""
from frames.onnxruntime import Case, main

main([
    Case('QuantizeLinear to float8e4m3fn, saturate = 0: 448 where the value overflows', """<ir_version: 9, opset_import: ["" : 19]>
        case (float[6] x) => (float8e4m3fn[6] y)
        <float y_scale = {1}, float8e4m3fn y_zero_point = {0}>
        { y = QuantizeLinear <saturate = 0> (x, y_scale, y_zero_point) }""",
        feed={'x': [463.5, 464.5, 480.5, 495.5, 496.5, -480.5]}, want={'y': [126, 127, 127, 127, 127, 127]}),
])
