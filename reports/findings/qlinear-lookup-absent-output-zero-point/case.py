"""QLinearLeakyRelu and QLinearSigmoid abort without Y_zero_point"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearLeakyRelu', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, uint8 z = {1}, float ys = {1}>
        { [QLinearLeakyRelu_y] y = com.microsoft.QLinearLeakyRelu <alpha = 0.5> (x, s, z, ys) }""",
        feed={'x': [3]}, want={'y': [2]}),
    Case('QLinearSigmoid', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, uint8 z = {1}, float ys = {0.00390625}>
        { [QLinearSigmoid_y] y = com.microsoft.QLinearSigmoid (x, s, z, ys) }""",
        feed={'x': [1]}, want={'y': [128]}),
])
