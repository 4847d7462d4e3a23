"""Convolutions refuse an image without positions"""
from frames.onnxruntime import Case, main

main([
    Case('Conv', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,1,0] x) => (float[1,1,1,0] y)
        <float[1,1,1,1] w = {1}>
        { y = Conv (x, w) }""",
        feed={'x': []}, want={'y': []}),
    Case('ConvInteger', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,1,0] x) => (int32[1,1,1,0] y)
        <uint8[1,1,1,1] w = {1}>
        { y = ConvInteger (x, w) }""",
        feed={'x': []}, want={'y': []}),
    Case('QLinearConv', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,1,0] x) => (uint8[1,1,1,0] y)
        <uint8[1,1,1,1] w = {1}, float s = {1}, uint8 z = {0}>
        { y = QLinearConv (x, s, z, w, s, z, s, z) }""",
        feed={'x': []}, want={'y': []}),
])
