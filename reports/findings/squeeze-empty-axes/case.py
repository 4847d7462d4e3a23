"""Squeeze with an empty list of axes removes every dimension of size 1"""
from frames.onnxruntime import Case, main

main([
    Case('axes as an input', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,2,1] x) => (float[1,2,1] y)
        <int64[0] axes = {}>
        { y = Squeeze (x, axes) }""",
        feed={'x': [3.0, 4.0]}, want={'y': [3.0, 4.0]}),
])
