"""On Arm QLinearAdd adds in fixed point and rounds half away from zero"""
from frames.onnxruntime import Case, main

main([
    Case('a half is no code 1', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a, uint8[1] b) => (uint8[1] y)
        <float half = {0.5}, float one = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearAdd (a, half, z, b, half, z, one, z) }""",
        feed={'a': [1], 'b': [0]}, want={'y': [0]}),
    Case('two and a half', """<ir_version: 7, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] a, uint8[1] b) => (uint8[1] y)
        <float half = {0.5}, float one = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearAdd (a, half, z, b, half, z, one, z) }""",
        feed={'a': [2], 'b': [3]}, want={'y': [2]}),
])
