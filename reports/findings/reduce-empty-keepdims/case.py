"""A reduction of an input without elements keeps the reduced axes although keepdims is 0"""
from frames.onnxruntime import Case, main

main([
    Case('ReduceMean of [0, 1] along axis 1', """<ir_version: 10, opset_import: ["" : 18]>
        case (float[0,1] x) => (float[0] y)
        <int64[1] axes = {-1}>
        { y = ReduceMean <keepdims=0> (x, axes) }""",
        feed={'x': []}, want={'y': []}),
    Case('ReduceSum of [0, 1] along axis 1', """<ir_version: 10, opset_import: ["" : 18]>
        case (float[0,1] x) => (float[0] y)
        <int64[1] axes = {-1}>
        { y = ReduceSum <keepdims=0> (x, axes) }""",
        feed={'x': []}, want={'y': []}),
])
