"""The maximum of negative infinities is the lowest finite number"""
from frames.onnxruntime import Case, main

main([
    Case('MaxPool of one number at a time', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,3] x) => (float[1,1,3] y)
        { y = MaxPool <kernel_shape = [1]> (x) }""",
        feed={'x': [float('-inf'), 1.0, float('-inf')]}, want={'y': [float('-inf'), 1.0, float('-inf')]}),
    Case('MaxPool with padding', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,2] x) => (float[1,1,2] y)
        { y = MaxPool <kernel_shape = [2], pads = [1, 0]> (x) }""",
        feed={'x': [float('-inf'), -3.0]}, want={'y': [float('-inf'), -3.0]}),
])
