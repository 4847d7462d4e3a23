"""BatchNormalization's reciprocal square root is three units in the last place off"""
from frames.onnxruntime import Case, main

main([
    Case('BatchNormalization of a variance of 16', """<ir_version: 8, opset_import: ["" : 15]>
        case (float[1, 4] x) => (float[1, 4] y)
        <float[4] scale = {1, 1, 1, 1}, float[4] b = {0.25, 0.25, 0.25, 0.25}, float[4] mean = {1, 1, 1, 1},
         float[4] var = {16, 16, 16, 16}>
        {
            y = BatchNormalization (x, scale, b, mean, var)
        }""",
        feed={'x': [[0, 0, 0, 0]]}, want={'y': [[5.9604645e-08] * 4]}),
])
