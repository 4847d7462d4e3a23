"""MaxPool and AveragePool refuse pads of a kernel's size or more"""
from frames.onnxruntime import Case, main

main([
    Case('AveragePool, kernel 1 and padding 1', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,1,1] x) => (float[1,1,1,2] y)
        { y = AveragePool <kernel_shape = [1, 1], pads = [0, 0, 0, 1], count_include_pad = 1> (x) }""",
        feed={'x': [3.0]}, want={'y': [3.0, 0.0]}),
])
