"""QLinearAveragePool divides by an output size of 0"""
from frames.onnxruntime import Case, main

main([
    Case('channels last, a window beyond the second axis', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1,2,1] x) => (uint8[1,1,0,1] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearAveragePool <kernel_shape = [1, 3], channels_last = 1> (x, s, z, s, z) }""",
        feed={'x': [1, 2]}, want={'y': []}),
])
