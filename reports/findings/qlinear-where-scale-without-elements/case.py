"""A Where between codes, one of whose scales has no elements, ends the process while the model is loaded"""
from frames.onnxruntime import Case, main

main([
    Case('y_scale of shape [0]', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1] x) => (uint8[1] y)
        <uint8[1] other = {3}, bool[1] condition = {0}, float one = {1}, float[0] none = {}>
        {
            x_real = DequantizeLinear <axis = 0> (x, one)
            other_real = DequantizeLinear <axis = 0> (other, one)
            chosen = Where (condition, x_real, other_real)
            y = QuantizeLinear <axis = 0> (chosen, none)
        }""",
        feed={'x': [5]}, want=None),
])
