"""QLinearConv without filters kills the process"""
from frames.onnxruntime import Case, main

main([
    Case('a weight of no elements, in groups', """<ir_version: 8, opset_import: ["" : 13]>
        case (int8[1,0,0,1,1] x) => (int8[1,0,0,1,1] y)
        <float s = {1}, int8 z = {0}, int8[0,0,0,0,0] w = {}, float[0] ws = {}, int8[0] wz = {}>
        { y = QLinearConv <group = 3, kernel_shape = [1, 1, 1], auto_pad = "SAME_LOWER"> (x, s, z, w, ws, wz, s, z) }""",
        feed={'x': []}, want=None),
])
