"""QLinearAveragePool takes a window beyond the padded input"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearAveragePool/output-empty/large', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,2,3,3] X) => (uint8[?,?,?,?] y)
        <float x_scale = {0.5}, uint8 x_zero_point = {100}, float y_scale = {0.125}, uint8 y_zero_point = {7}>
        {
            y = com.microsoft.QLinearAveragePool <kernel_shape = [4, 2], strides = [1, 1], pads = [0, 0, 0, 0]>
                (X, x_scale, x_zero_point, y_scale, y_zero_point)
        }""",
        feed={'X': [3, 7, 250, 1, 90, 128, 0, 5, 9, 3, 7, 250, 1, 90, 128, 0, 5, 9]}, want=None),
    Case('channels last, a window beyond the second axis', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1,2,1] x) => (uint8[1,1,0,1] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearAveragePool <kernel_shape = [1, 3], channels_last = 1> (x, s, z, s, z) }""",
        feed={'x': [1, 2]}, want=None),
])
