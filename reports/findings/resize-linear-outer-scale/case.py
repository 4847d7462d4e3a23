"""Resize with linear interpolation along the first axis is refused"""
from frames.onnxruntime import Case, main

main([
    Case('linear, scale 2 along axis 0', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[2,1,1,1] x) => (float[4,1,1,1] y)
        <float[4] scales = {2, 1, 1, 1}>
        { y = Resize <mode = "linear"> (x, "", scales) }""",
        feed={'x': [1.0, 3.0]}, want={'y': [1.0, 1.5, 2.5, 3.0]}),
])
