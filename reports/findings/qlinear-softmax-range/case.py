"""QLinearSoftmax overflows where y_scale is small, and wraps int8 outputs"""
from frames.onnxruntime import Case, main

main([
    Case('y_scale = 2^-9', """<ir_version: 10, opset_import: ["" : 12, "com.microsoft" : 1]>
        case (uint8[1,2] x) => (uint8[1,2] y)
        <float xs = {0.119836174}, uint8 xz = {0}, float ys = {0.001953125}, uint8 yz = {0}>
        { [QLinearSoftmax_y] y = com.microsoft.QLinearSoftmax <axis = 1, opset = 12> (x, xs, xz, ys, yz) }""",
        feed={'x': [132, 169]}, want={'y': [6, 255]}),
    Case('three equal int8 elements, y_scale 1/256, y_zero_point 59',
        """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[1,3] x) => (int8[1,3] y)
        <float xs = {1}, int8 xz = {0}, float ys = {0.00390625}, int8 yz = {59}>
        { [QLinearSoftmax_y] y = com.microsoft.QLinearSoftmax <axis = 1, opset = 13> (x, xs, xz, ys, yz) }""",
        feed={'x': [0, 0, 0]}, want={'y': [127, 127, 127]}),
])
