"""QLinearConcat reads the scale of an operand without looking whether it is there"""
from frames.onnxruntime import Case, main

main([
    Case('no scale of the one operand', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearConcat <axis = 0> (s, z, x, "", z) }""",
        feed={'x': [0]}, want=None),
])
