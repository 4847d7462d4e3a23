"""Attribute values of later opsets pass in models of earlier ones"""
from frames.onnxruntime import Case, main

main([
    Case('Squeeze/axes-range/opset9-negative', """<ir_version: 4, opset_import: ["" : 9]>
        case (uint8[1,3] data) => (uint8[?] y)
        { y = Squeeze <axes = [-2]> (data) }""",
        feed={'data': [227, 156, 85]}, want=None),
    Case('Unsqueeze/axes-range/opset9-negative', """<ir_version: 4, opset_import: ["" : 9]>
        case (uint8[3] data) => (uint8[?,?] y)
        { y = Unsqueeze <axes = [-1]> (data) }""",
        feed={'data': [227, 156, 85]}, want=None),
    Case('Pad/mode-value/opset18-wrap', """<ir_version: 8, opset_import: ["" : 18]>
        case (uint8[2,3] data) => (uint8[?,?] y)
        <int64[4] pads = {0, 1, 1, 0}, uint8 constant_value = {9}, int64[2] axes = {0, 1}>
        { y = Pad <mode = "wrap"> (data, pads, constant_value, axes) }""",
        feed={'data': [227, 156, 85, 14, 199, 128]}, want=None),
    Case('Resize/coordinate_transformation_mode-value/opset13-nn', """<ir_version: 7, opset_import: ["" : 13]>
        case (uint8[2,2] X) => (uint8[?,?] y)
        <float[2] scales = {1, 2}>
        { y = Resize <coordinate_transformation_mode = "tf_half_pixel_for_nn"> (X, "", scales) }""",
        feed={'X': [10, 200, 30, 40]}, want=None),
    Case('Resize/coordinate_transformation_mode-value/opset18-symmetric', """<ir_version: 8, opset_import: ["" : 18]>
        case (uint8[2,2] X) => (uint8[?,?] y)
        <float[2] scales = {1, 2}>
        { y = Resize <coordinate_transformation_mode = "half_pixel_symmetric"> (X, "", scales) }""",
        feed={'X': [10, 200, 30, 40]}, want=None),
    Case('Resize/mode-value/opset10-cubic', """<ir_version: 5, opset_import: ["" : 10]>
        case (uint8[2,2] X) => (uint8[?,?] y)
        <float[2] scales = {1, 1}>
        { y = Resize <mode = "cubic"> (X, scales) }""",
        feed={'X': [10, 200, 30, 40]}, want=None),
    Case('DequantizeLinear-10, a scale for each column', """<ir_version: 8, opset_import: ["" : 10]>
        case (uint8[1,2] x) => (float[1,2] y)
        <float[2] s = {1, 2}>
        { y = DequantizeLinear (x, s) }""",
        feed={'x': [1, 1]}, want=None),
    Case('QuantizeLinear-10, a scale for each column', """<ir_version: 8, opset_import: ["" : 10]>
        case (float[1,2] x) => (uint8[1,2] y)
        <float[2] s = {1, 2}>
        { y = QuantizeLinear (x, s) }""",
        feed={'x': [1.0, 1.0]}, want=None),
    Case('QLinearMatMul-10, zero points of rank 3', """<ir_version: 8, opset_import: ["" : 10]>
        case (int8[1,1,1] a, int8[1,1,1] b) => (int8[1,1,1] y)
        <float s = {1}, int8 z = {0}, int8[1,1,1] bz = {0}>
        { y = QLinearMatMul (a, s, z, b, s, bz, s, z) }""",
        feed={'a': [1], 'b': [1]}, want=None),
])
