"""A Transpose whose perm is too short, of a constant that is dequantized, ends the process while the model is loaded"""
from frames.onnxruntime import Case, main

main([
    Case('rank 3, two axes in perm', """<ir_version: 7, opset_import: ["" : 13]>
        case () => (float[?,?,?] y)
        <uint8[2,3,4] x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}, float one = {1}>
        {
            x_real = DequantizeLinear (x, one)
            y = Transpose <perm = [1, 0]> (x_real)
        }""",
        feed={}, want=None),
])
