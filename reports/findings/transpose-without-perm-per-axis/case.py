"""A Transpose without perm after a DequantizeLinear with scales along an axis ends the process while the model is loaded"""
from frames.onnxruntime import Case, main

main([
    Case('rank 2, scales along axis 0', """<ir_version: 7, opset_import: ["" : 13]>
        case (uint8[2,1] x) => (float[1,2] y)
        <float[2] scale = {1, 2}>
        {
            x_real = DequantizeLinear <axis = 0> (x, scale)
            y = Transpose (x_real)
        }""",
        feed={'x': [3, 4]}, want={'y': [3, 8]}),
])
