"""On Arm a MatMul of weights in blocks of 2 ends the process"""
from frames.onnxruntime import Case, main

main([
    Case('blocks of 2 along the rows of w', """<ir_version: 10, opset_import: ["" : 21]>
        case (int8[1,4] x) => (float[1,1] y)
        <int8[4,1] w = {4, -2, 5, 1}, float[2,1] s = {1, 4}, float one = {1}>
        {
            fw = DequantizeLinear <axis = 0, block_size = 2> (w, s)
            fx = DequantizeLinear (x, one)
            y = MatMul (fx, fw)
        }""",
        feed={'x': [3, -5, 7, 2]}, want={'y': [170]}),
])
