"""QLinearConv: auto_pad = "" is taken"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearConv: auto_pad = "" is taken', """<ir_version: 5, opset_import: ["" : 10]>
        case (uint8[1,2,3,3] x) => (uint8[?,?,?,?] y)
        <float x_scale = {0.5}, uint8 x_zero_point = {130},
            int8[4,1,2,2] w = {-97, -36, 25, 86, -53, 8, 69, -70, -9, 52, -87, -26, 35, 96, -43, 18}, float w_scale = {0.5},
            int8 w_zero_point = {3}, float y_scale = {2}, uint8 y_zero_point = {120}>
        { y = QLinearConv <group = 2, auto_pad = ""> (x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point) }""",
        feed={'x': [7, 44, 81, 118, 155, 192, 229, 10, 47, 84, 121, 158, 195, 232, 13, 50, 87, 124]}, want=None),
])
