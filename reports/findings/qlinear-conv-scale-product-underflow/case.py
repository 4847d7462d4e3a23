"""QLinearConv: x_scale · w_scale is rounded where it is subnormal"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearConv: x_scale · w_scale is rounded where it is subnormal', """<ir_version: 9, opset_import: ["" : 10]>
        case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
        <float x_scale = {7.940934e-23}, uint8 x_zero_point = {0}, uint8[1,1,1,1] w = {4}, float w_scale = {7.940934e-23},
            uint8 w_zero_point = {0}, uint8 y_zero_point = {0}>
        { y = QLinearConv (x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point) }""",
        feed={'x': [200]}, want={'y': [225]}, constants={'y_scale': 2.2e-44}),
])
