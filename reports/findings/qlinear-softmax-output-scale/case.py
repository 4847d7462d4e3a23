"""QLinearSoftmax rounds 1/y_scale down to an integer"""
from frames.onnxruntime import Case, main

main([
    Case('y_scale of 1/161.8', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[1,4] x) => (int8[1,4] y)
        <float xs = {0.013721678}, int8 xz = {0}, float ys = {0.0061791306}, int8 yz = {-16}>
        { [QLinearSoftmax_y] y = com.microsoft.QLinearSoftmax <axis = 1, opset = 13> (x, xs, xz, ys, yz) }""",
        feed={'x': [92, -127, -90, -53]}, want={'y': [112, -10, -6, 1]}),
])
