"""QLinearAdd, QLinearMul and QLinearAveragePool refuse an absent zero point"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearAdd without A_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] c)
        <uint8[1] b = {2}, float s = {1}, uint8 z = {0}>
        { [QLinearAdd_c] c = com.microsoft.QLinearAdd (a, s, "", b, s, z, s, z) }""",
        feed={'a': [1]}, want={'c': [3]}),
    Case('QLinearAdd without B_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] c)
        <uint8[1] b = {2}, float s = {1}, uint8 z = {0}>
        { [QLinearAdd_c] c = com.microsoft.QLinearAdd (a, s, z, b, s, "", s, z) }""",
        feed={'a': [1]}, want={'c': [3]}),
    Case('QLinearAdd without C_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] c)
        <uint8[1] b = {2}, float s = {1}, uint8 z = {0}>
        { [QLinearAdd_c] c = com.microsoft.QLinearAdd (a, s, z, b, s, z, s, "") }""",
        feed={'a': [1]}, want={'c': [3]}),
    Case('QLinearMul without A_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] c)
        <uint8[1] b = {2}, float s = {1}, uint8 z = {0}>
        { [QLinearMul_c] c = com.microsoft.QLinearMul (a, s, "", b, s, z, s, z) }""",
        feed={'a': [1]}, want={'c': [2]}),
    Case('QLinearMul without B_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] c)
        <uint8[1] b = {2}, float s = {1}, uint8 z = {0}>
        { [QLinearMul_c] c = com.microsoft.QLinearMul (a, s, z, b, s, "", s, z) }""",
        feed={'a': [1]}, want={'c': [2]}),
    Case('QLinearMul without C_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a) => (uint8[1] c)
        <uint8[1] b = {2}, float s = {1}, uint8 z = {0}>
        { [QLinearMul_c] c = com.microsoft.QLinearMul (a, s, z, b, s, z, s, "") }""",
        feed={'a': [1]}, want={'c': [2]}),
    Case('QLinearAveragePool without x_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
        <float s = {1}, uint8 z = {0}>
        { [QLinearAveragePool_y] y = com.microsoft.QLinearAveragePool <kernel_shape = [1, 1]> (x, s, "", s, z) }""",
        feed={'x': [5]}, want={'y': [5]}),
    Case('QLinearAveragePool without y_zero_point', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
        <float s = {1}, uint8 z = {0}>
        { [QLinearAveragePool_y] y = com.microsoft.QLinearAveragePool <kernel_shape = [1, 1]> (x, s, z, s, "") }""",
        feed={'x': [5]}, want={'y': [5]}),
])
