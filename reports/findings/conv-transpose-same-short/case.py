"""ConvTranspose with auto_pad SAME_* and a kernel shorter than the stride gives an output that is too small"""
from frames.onnxruntime import Case, main

main([
    Case('kernel 1, stride 2', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,2] x, float[1,1,1] w) => (float[1,1,N] y)
        { y = ConvTranspose <strides = [2], auto_pad = "SAME_UPPER"> (x, w) }""",
        feed={'x': [1, 2], 'w': [3]}, want={'y': [[[3, 0, 6, 0]]]}),
])
