"""MaxPool and AveragePool with auto_pad SAME_* and dilations give outputs that are too small"""
from frames.onnxruntime import Case, main

main([
    Case('MaxPool, kernel 2, dilation 2', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,4] x) => (float[1,1,N] y)
        { y = MaxPool <kernel_shape = [2], dilations = [2], auto_pad = "SAME_UPPER"> (x) }""",
        feed={'x': [1, 2, 3, 4]}, want={'y': [[[2, 3, 4, 3]]]}),
    Case('AveragePool, kernel 2, dilation 2', """<ir_version: 9, opset_import: ["" : 19]>
        case (float[1,1,4] x) => (float[1,1,N] y)
        { y = AveragePool <kernel_shape = [2], dilations = [2], auto_pad = "SAME_UPPER"> (x) }""",
        feed={'x': [1, 2, 3, 4]}, want={'y': [[[2, 2, 3, 3]]]}),
])
