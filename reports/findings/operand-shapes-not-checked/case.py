"""Operands of shapes that the specification excludes pass"""
from frames.onnxruntime import Case, main

main([
    Case('Expand/shape-rank/row', """<ir_version: 7, opset_import: ["" : 13]>
        case (uint8[1,3] input) => (uint8[?,?] y)
        <int64[1,2] shape = {2, 3}>
        { y = Expand (input, shape) }""",
        feed={'input': [26, 211, 140]}, want=None),
    Case('Resize/roi-rank/row', """<ir_version: 9, opset_import: ["" : 19]>
        case (uint8[2,2] X) => (uint8[?,?] y)
        <float[1,4] roi = {0, 0, 1, 1}, int64[2] sizes = {2, 3}>
        { y = Resize <coordinate_transformation_mode = "tf_crop_and_resize"> (X, roi, "", sizes) }""",
        feed={'X': [10, 200, 30, 40]}, want=None),
    Case('QLinearSoftmax/x_zero_point-shape/two', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[2,3] X) => (uint8[?,?] y)
        <float X_scale = {0.0625}, uint8[2] x_zero_point = {1, 1}, float y_scale = {0.00390625}, uint8 y_zero_point = {0}>
        { y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (X, X_scale, x_zero_point, y_scale, y_zero_point) }""",
        feed={'X': [3, 7, 250, 1, 90, 128]}, want=None),
    Case('QLinearSoftmax/y_scale-shape/two', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[2,3] X) => (uint8[?,?] y)
        <float X_scale = {0.0625}, uint8 x_zero_point = {100}, float[2] y_scale = {1, 1}, uint8 y_zero_point = {0}>
        { y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (X, X_scale, x_zero_point, y_scale, y_zero_point) }""",
        feed={'X': [3, 7, 250, 1, 90, 128]}, want=None),
    Case('QLinearSoftmax/y_zero_point-shape/two', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[2,3] X) => (uint8[?,?] y)
        <float X_scale = {0.0625}, uint8 x_zero_point = {100}, float y_scale = {0.00390625}, uint8[2] y_zero_point = {1, 1}>
        { y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (X, X_scale, x_zero_point, y_scale, y_zero_point) }""",
        feed={'X': [3, 7, 250, 1, 90, 128]}, want=None),
    Case('MatMulIntegerToFloat/b_zero_point-shape/row', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1] a, uint8[1,1] b) => (float[1,1] y)
        <float s = {1}, uint8[1,1] z = {1}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, s, s, "", z) }""",
        feed={'a': [1], 'b': [1]}, want=None),
    Case('MatMulIntegerToFloat/b_zero_point-shape/two for no columns',
        """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1] a, uint8[1,0] b) => (float[1,0] y)
        <float s = {1}, uint8[2] z = {1, 1}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, s, s, "", z) }""",
        feed={'a': [1], 'b': []}, want=None),
    Case('DynamicQuantizeMatMul/bias-shape/row', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,1] a, uint8[1,1] b) => (float[1,1] y)
        <float s = {1}, float[1,1] c = {1}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, s, "", c) }""",
        feed={'a': [1.0], 'b': [1]}, want=None),
    Case('QLinearConcat/x_scale-shape/two', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, float[2] t = {1, 1}, uint8 z = {0}>
        { y = com.microsoft.QLinearConcat <axis = 0> (s, z, x, t, z) }""",
        feed={'x': [5]}, want=None),
    Case('QLinearConcat/x_zero_point-shape/row', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x, uint8[1,1] t) => (uint8[1] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearConcat <axis = 0> (s, z, x, s, t) }""",
        feed={'x': [5], 't': [0]}, want=None),
    Case('QLinearSoftmax/x_scale-shape/none', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,2] x, float[0] none) => (uint8[1,2] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (x, none, z, s, z) }""",
        feed={'x': [1, 2], 'none': []}, want=None),
    Case('DynamicQuantizeMatMul/b_zero_point-shape/row', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,1] a, uint8[1,1] b) => (float[1,1] y)
        <float s = {1}, uint8[1,1] z = {1}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, s, z) }""",
        feed={'a': [1.0], 'b': [1]}, want=None),
    Case('MatMulNBits/zero_points-type/float16 beside float32', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,1] a) => (float[1,1] y)
        <float[1,1] s = {1}, float16[1,1] z = {1}, uint8[8] codes = {0, 0, 0, 0, 0, 0, 0, 0}, int64[3] shape = {1, 1, 8}>
        {
            b = Reshape (codes, shape)
            y = com.microsoft.MatMulNBits <K = 1, N = 1, bits = 4, block_size = 16> (a, b, s, z)
        }""",
        feed={'a': [1.0]}, want=None),
    Case('QLinearWhere/x_scale-shape/two', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <bool[1] c = {0}, uint8[1] b = {1}, float s = {1}, float[2] t = {1, 1}, uint8 z = {0}>
        { y = com.microsoft.QLinearWhere (c, b, t, z, x, s, z, s, z) }""",
        feed={'x': [5]}, want=None),
    Case('QLinearWhere/y_scale-shape/two', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <bool[1] c = {0}, uint8[1] b = {1}, float s = {1}, float[2] t = {1, 1}, uint8 z = {0}>
        { y = com.microsoft.QLinearWhere (c, b, s, z, x, t, z, s, z) }""",
        feed={'x': [5]}, want=None),
])
