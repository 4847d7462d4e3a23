"""Sigmoid of negative numbers is accurate absolutely, not relatively"""
from frames.onnxruntime import Case, main

main([
    Case('Sigmoid(-6.8125), wanted within 6 units in the last place', """<ir_version: 10, opset_import: ["" : 13]>
        case (float[1] x) => (float[1] y)
        { [Sigmoid_y] y = Sigmoid (x) }""",
        feed={'x': [-6.8125]}, want={'y': [0.00109873107]}, rtol=8e-07),
])
