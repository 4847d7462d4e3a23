"""Slice after a Resize with a negative scale aborts the process"""
from frames.onnxruntime import Case, main

main([
    Case('a scale of -1', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1] x) => (float[1] y)
        <float[1] scales = {-1}, int64[1] zero = {0}, int64[1] one = {1}>
        {
            r = Resize (x, "", scales)
            y = Slice (r, zero, one)
        }""",
        feed={'x': [1.0]}, want=None),
])
