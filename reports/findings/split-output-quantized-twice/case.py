"""An output of Split that two QuantizeLinear read becomes the other output"""
from frames.onnxruntime import Case, main

main([
    Case('the second half, twice', """<ir_version: 7, opset_import: ["" : 13]>
        case (uint8[4] x) => (uint8[2] y, uint8[2] z)
        <float one = {1}, uint8 zero = {0}>
        {
            x_real = DequantizeLinear (x, one, zero)
            a_real, b_real = Split <axis = 0> (x_real)
            y = QuantizeLinear (b_real, one, zero)
            z = QuantizeLinear (b_real, one, zero)
        }""",
        feed={'x': [1, 2, 3, 4]}, want={'y': [3, 4], 'z': [3, 4]}),
])
