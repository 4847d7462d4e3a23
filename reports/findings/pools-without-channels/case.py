"""Pools refuse an input without channels"""
from frames.onnxruntime import Case, main

main([
    Case('MaxPool', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,0,1] x) => (float[1,0,1] y)
        { y = MaxPool <kernel_shape = [1]> (x) }""",
        feed={'x': []}, want={'y': []}),
    Case('AveragePool', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,0,1] x) => (float[1,0,1] y)
        { y = AveragePool <kernel_shape = [1]> (x) }""",
        feed={'x': []}, want={'y': []}),
    Case('QLinearAveragePool', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,0,1] x) => (uint8[1,0,1] y)
        <float s = {1}, uint8 z = {0}>
        { y = com.microsoft.QLinearAveragePool <kernel_shape = [1]> (x, s, z, s, z) }""",
        feed={'x': []}, want={'y': []}),
    Case('GlobalAveragePool', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,0,1] x) => (float[1,0,1] y)
        { y = GlobalAveragePool (x) }""",
        feed={'x': []}, want={'y': []}),
])
