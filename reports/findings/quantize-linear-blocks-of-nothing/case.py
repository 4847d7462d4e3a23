"""QuantizeLinear in blocks ends the process where the tensor has no elements"""
from frames.onnxruntime import Case, main

main([
    Case('no columns', """<ir_version: 10, opset_import: ["" : 21]>
        case (float[1,0] x, float[1,0] s, uint8[1,0] z) => (uint8[1,0] y)
        { y = QuantizeLinear <axis = 0, block_size = 1> (x, s, z) }""",
        feed={'x': [], 's': [], 'z': []}, want={'y': []}),
])
