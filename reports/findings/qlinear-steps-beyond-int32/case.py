"""QLinearAdd, QLinearMul and QLinearAveragePool lose quotients beyond int32, and sums beside large zero points"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearAdd, 2^36 steps', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[1] a, int8[1] b) => (int8[1] y)
        <float s = {1024}, int8 z = {0}, float ys = {9.536743e-07}>
        { y = com.microsoft.QLinearAdd (a, s, z, b, s, z, ys, z) }""",
        feed={'a': [64], 'b': [0]}, want={'y': [127]}),
    Case('QLinearAdd, a zero beside zero points of 2^31 steps', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[2] a, int8[2] b) => (int8[2] y)
        <float s = {32768}, int8 z = {-128}, float ys = {0.001953125}, int8 yz = {1}>
        { y = com.microsoft.QLinearAdd (a, s, z, b, s, z, ys, yz) }""",
        feed={'a': [-128, -128], 'b': [-128, -128]}, want={'y': [1, 1]}),
    Case('QLinearMul, 2^32 steps', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a, uint8[1] b) => (uint8[1] y)
        <float s = {1}, uint8 z = {0}, float ys = {2.3841858e-07}>
        { y = com.microsoft.QLinearMul (a, s, z, b, s, z, ys, z) }""",
        feed={'a': [32], 'b': [32]}, want={'y': [255]}),
    Case('QLinearAveragePool, 2^31 steps', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1,1,2] x) => (uint8[1,1,1,2] y)
        <float s = {1}, uint8 z = {0}, float ys = {1.4901161e-08}>
        { y = com.microsoft.QLinearAveragePool <kernel_shape = [1, 1]> (x, s, z, ys, z) }""",
        feed={'x': [32, 0]}, want={'y': [255, 0]}),
])
