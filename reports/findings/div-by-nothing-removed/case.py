"""Div by a constant without elements is refused while the model is loaded"""
from frames.onnxruntime import Case, main

main([
    Case('no elements over none', """<ir_version: 10, opset_import: ["" : 23]>
        case (int8[0,0,1] a) => (int8[0,0,1] y)
        <int8[0,0,1] b = {}>
        {
            y = Div (a, b)
        }""",
        feed={'a': []}, want={'y': []}),
])
