"""ConvTranspose divides by group 0, and does not look at lists of attributes"""
from frames.onnxruntime import Case, main

main([
    Case('ConvTranspose/group-positive/zero', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,2,2] X) => (float[?,?,?,?] y)
        <float[2,1,2,2] W = {1, -1, 2, 0.5, 3, 1, 0, 1}, float[1] B = {0.5}>
        { y = ConvTranspose <kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], group = 0> (X, W, B) }""",
        feed={'X': [1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 2.0, 1.0]}, want=None),
    Case('ConvTranspose/dilations-length/one', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,2,2] X) => (float[?,?,?,?] y)
        <float[2,1,2,2] W = {1, -1, 2, 0.5, 3, 1, 0, 1}, float[1] B = {0.5}>
        { y = ConvTranspose <kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], group = 1, dilations = [1]> (X, W, B) }""",
        feed={'X': [1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 2.0, 1.0]}, want=None),
    Case('ConvTranspose/strides-length/one', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,2,2] X) => (float[?,?,?,?] y)
        <float[2,1,2,2] W = {1, -1, 2, 0.5, 3, 1, 0, 1}, float[1] B = {0.5}>
        { y = ConvTranspose <kernel_shape = [2, 2], strides = [1], pads = [0, 0, 0, 0], group = 1> (X, W, B) }""",
        feed={'X': [1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 2.0, 1.0]}, want=None),
    Case('ConvTranspose/output_padding-length/one', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,2,2] X) => (float[?,?,?,?] y)
        <float[2,1,2,2] W = {1, -1, 2, 0.5, 3, 1, 0, 1}, float[1] B = {0.5}>
        {
            y = ConvTranspose <kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], group = 1, output_padding = [1]>
                (X, W, B)
        }""",
        feed={'X': [1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 2.0, 1.0]}, want=None),
    Case('ConvTranspose/output_padding-range/two', """<ir_version: 6, opset_import: ["" : 11]>
        case (float[1,2,2,2] X) => (float[?,?,?,?] y)
        <float[2,1,2,2] W = {1, -1, 2, 0.5, 3, 1, 0, 1}, float[1] B = {0.5}>
        {
            y = ConvTranspose <kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], group = 1, output_padding = [2, 0]>
                (X, W, B)
        }""",
        feed={'X': [1.0, 2.0, 3.0, -1.0, 0.5, 4.0, 2.0, 1.0]}, want=None),
])
