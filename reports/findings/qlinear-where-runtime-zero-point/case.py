"""QLinearWhere reads a zero point that is given at run time while the session is made"""
from frames.onnxruntime import Case, main

main([
    Case('the zero point of Y is an input', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (bool[1] condition, uint8[1] b, uint8[1] c, uint8 cz) => (uint8[1] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearWhere (condition, b, s, z, c, s, cz, s, z) }""",
        feed={'condition': [0], 'b': [1], 'c': [5], 'cz': [2]}, want={'y': [3]}),
])
