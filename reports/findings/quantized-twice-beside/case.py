"""A dequantized value that two QuantizeLinear of its own parameters read is refused"""
from frames.onnxruntime import Case, main

main([
    Case('two readers', """<ir_version: 7, opset_import: ["" : 13]>
        case (float[1] x) => (int8[1] a, int8[1] b)
        <float s = {1}, int8 z = {0}>
        {
            q = QuantizeLinear (x, s, z)
            r = DequantizeLinear (q, s, z)
            a = QuantizeLinear (r, s, z)
            b = QuantizeLinear (r, s, z)
        }""",
        feed={'x': [3.25]}, want={'a': [3], 'b': [3]}),
])
