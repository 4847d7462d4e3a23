"""QLinearGlobalAveragePool refuses a ratio of scales that a 32-bit multiplier does not hold"""
from frames.onnxruntime import Case, main

main([
    Case('y_scale of 2^-32', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[1,1,1] x) => (int8[1,1,1] y)
        <float s = {1}, int8 z = {0}, float ys = {2.3283064e-10}>
        { y = com.microsoft.QLinearGlobalAveragePool <channels_last = 0> (x, s, z, ys, z) }""",
        feed={'x': [1]}, want={'y': [127]}),
    Case('QLinearAveragePool whose window is the whole input', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1,3] x) => (uint8[1,1,1] y)
        <float s = {1}, uint8 z = {0}, float t = {2.9802322e-08}>
        { y = com.microsoft.QLinearAveragePool <kernel_shape = [3]> (x, s, z, t, z) }""",
        feed={'x': [1, 1, 1]}, want={'y': [255]}),
])
