"""Attribute values that the specification does not define pass"""
from frames.onnxruntime import Case, main

main([
    Case('MaxPool/storage_order-value/two', """<ir_version: 7, opset_import: ["" : 12]>
        case (float[1,2,3,3] x) => (float[?,?,?,?] y)
        { y = MaxPool <kernel_shape = [2, 2], strides = [1, 1], dilations = [1, 1], pads = [1, 0, 0, 1], storage_order = 2> (x) }""",
        feed={'x': [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5]},
        want=None),
    Case('MatMulNBits/accuracy_level-value/five', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[2,16] A) => (float[?,?] y)
        <uint8[3,1,8] B = {9, 200, 4, 77, 1, 0, 128, 255, 9, 200, 4, 77, 1, 0, 128, 255, 9, 200, 4, 77, 1, 0, 128, 255},
            float[3,1] scales = {0.5, 0.25, 1}, uint8[3,1] zero_points = {7, 8, 9}, float[3] bias = {1, 0, -1}>
        {
            y = com.microsoft.MatMulNBits <K = 16, N = 3, block_size = 16, bits = 4, accuracy_level = 5>
                (A, B, scales, zero_points, "", bias)
        }""",
        feed={'A': [1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0,
            0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0]},
        want=None),
    Case('QuantizeLinear/precision-value/u8', """<ir_version: 11, opset_import: ["" : 23]>
        case (float[3] x) => (uint8[?] y)
        <float y_scale = {0.5}, uint8 y_zero_point = {7}>
        { y = QuantizeLinear <precision = 2> (x, y_scale, y_zero_point) }""",
        feed={'x': [-1.0, 2.0, 3.5]}, want=None),
    Case('QuantizeLinear/precision-value/f64', """<ir_version: 11, opset_import: ["" : 23]>
        case (float[3] x) => (uint8[?] y)
        <float y_scale = {0.5}, uint8 y_zero_point = {7}>
        { y = QuantizeLinear <precision = 11> (x, y_scale, y_zero_point) }""",
        feed={'x': [-1.0, 2.0, 3.5]}, want=None),
])
