"""Operands that are too short are read beyond their ends"""
from frames.onnxruntime import Case, main

main([
    Case('Conv/bias-shape/one-short', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,3,3] x) => (float[?,?,?,?] y)
        <float[4,1,2,2] w = {-0.25, -1.5, 1, 2, 0.5, 3, 0.75, -2, -0.25, -1.5, 1, 2, 0.5, 3, 0.75, -2},
            float[3] b = {-0.25, -1.5, 1}>
        { y = Conv <group = 2> (x, w, b) }""",
        feed={'x': [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5]},
        want=None),
    Case('Conv/bias-shape/row', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,3,3] x) => (float[?,?,?,?] y)
        <float[4,1,2,2] w = {-0.25, -1.5, 1, 2, 0.5, 3, 0.75, -2, -0.25, -1.5, 1, 2, 0.5, 3, 0.75, -2},
            float[1,4] b = {-0.25, -1.5, 1, 2}>
        { y = Conv <group = 2> (x, w, b) }""",
        feed={'x': [-0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5, 1.0, 2.0, 0.5, 3.0, 0.75, -2.0, -0.25, -1.5]},
        want=None),
    Case('DynamicQuantizeMatMul/bias-shape/three', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[2,3] A) => (float[?,?] y)
        <uint8[3,4] B = {9, 200, 4, 77, 1, 0, 128, 255, 3, 4, 5, 6}, float b_scale = {0.5}, uint8 b_zero_point = {128},
            float[3] bias = {1, 1, 1}>
        { y = com.microsoft.DynamicQuantizeMatMul (A, B, b_scale, b_zero_point, bias) }""",
        feed={'A': [1.0, -2.0, 0.5, 3.0, 0.0, 4.0]}, want=None),
    Case('MatMulIntegerToFloat/bias-shape/three', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[2,3] A) => (float[?,?] y)
        <uint8[3,4] B = {9, 200, 4, 77, 1, 0, 128, 255, 3, 4, 5, 6}, float a_scale = {0.25}, float b_scale = {0.5},
            uint8 a_zero_point = {100}, uint8 b_zero_point = {128}, float[3] bias = {1, 1, 1}>
        { y = com.microsoft.MatMulIntegerToFloat (A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias) }""",
        feed={'A': [1, 2, 250, 3, 0, 4]}, want=None),
    Case('MatMulNBits/b-shape/seven', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[2,16] A) => (float[?,?] y)
        <uint8[3,1,7] B = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, float[3,1] scales = {0.5, 0.25, 1},
            uint8[3,1] zero_points = {7, 8, 9}, float[3] bias = {1, 0, -1}>
        {
            y = com.microsoft.MatMulNBits <K = 16, N = 3, block_size = 16, bits = 4, accuracy_level = 0>
                (A, B, scales, zero_points, "", bias)
        }""",
        feed={'A': [1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0,
            0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0, 1.0, 0.0, -1.0, 2.0]},
        want=None),
    Case('MatMulNBits, float16, constant B of one byte for 24', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float16[1,1] a) => (float16[1,3] y)
        <uint8[1,1,1] b = {0}, float16[3,1] s = {1, 1, 1}>
        { y = com.microsoft.MatMulNBits <K = 1, N = 3, bits = 4, block_size = 16> (a, b, s) }""",
        feed={'a': [1.0]}, want=None),
])
