"""A block of Where whose DequantizeLinear has no zero point aborts the process"""
from frames.onnxruntime import Case, main

main([
    Case('Where beside a scalar constant', """<ir_version: 8, opset_import: ["" : 21]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, bool[1] c = {0}, float v = {3}>
        {
            xf = DequantizeLinear (x, s)
            yf = Where (c, v, xf)
            y = QuantizeLinear (yf, s)
        }""",
        feed={'x': [5]}, want={'y': [5]}),
])
