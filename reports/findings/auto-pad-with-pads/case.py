"""Pools take pads beside auto_pad"""
from frames.onnxruntime import Case, main

main([
    Case('MaxPool/auto_pad-with-pads/valid', """<ir_version: 7, opset_import: ["" : 12]>
        case (float[1,2,3,3] x) => (float[?,?,?,?] y)
        { y = MaxPool <kernel_shape = [2, 2], auto_pad = "VALID", pads = [0, 0, 0, 0]> (x) }""",
        feed={'x': [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5]},
        want=None),
    Case('AveragePool/auto_pad-with-pads/valid', """<ir_version: 9, opset_import: ["" : 19]>
        case (float[1,2,3,3] x) => (float[?,?,?,?] y)
        { y = AveragePool <kernel_shape = [2, 2], auto_pad = "VALID", pads = [0, 0, 0, 0]> (x) }""",
        feed={'x': [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5]},
        want=None),
    Case('QLinearAveragePool/auto_pad-with-pads/valid', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,2,3,3] X) => (uint8[?,?,?,?] y)
        <float x_scale = {0.5}, uint8 x_zero_point = {100}, float y_scale = {0.125}, uint8 y_zero_point = {7}>
        {
            y = com.microsoft.QLinearAveragePool <kernel_shape = [2, 2], strides = [1, 1], pads = [0, 0, 0, 0],
                auto_pad = "VALID"> (X, x_scale, x_zero_point, y_scale, y_zero_point)
        }""",
        feed={'X': [3, 7, 250, 1, 90, 128, 0, 5, 9, 3, 7, 250, 1, 90, 128, 0, 5, 9]}, want=None),
])
