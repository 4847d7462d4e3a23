"""ConvInteger refuses a zero point for each filter"""
from frames.onnxruntime import Case, main

main([
    Case('two filters with the zero points 1 and 2', """<ir_version: 10, opset_import: ["" : 10]>
        case (uint8[1,1,1,1] x) => (int32[1,2,1,1] y)
        <uint8[2,1,1,1] w = {3, 3}, uint8 xz = {0}, uint8[2] wz = {1, 2}>
        { [ConvInteger_y] y = ConvInteger (x, w, xz, wz) }""",
        feed={'x': [5]}, want={'y': [10, 5]}),
])
