"""A block whose scale is a vector of one element is fused to an operator that takes scalars only"""
from frames.onnxruntime import Case, main

main([
    Case('a block of Add with a scale of shape [1]', """<ir_version: 8, opset_import: ["" : 13]>
        case (int8[2] x, int8[2] w) => (int8[2] y)
        <float[1] s1 = {1}, float s = {1}, int8 z = {0}>
        {
            xf = DequantizeLinear (x, s1)
            wf = DequantizeLinear (w, s)
            yf = Add (xf, wf)
            y = QuantizeLinear (yf, s, z)
        }""",
        feed={'x': [3, -4], 'w': [5, 6]}, want={'y': [8, 2]}),
    Case('a block of AveragePool with a scale of shape [1]', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,1,2] x) => (uint8[1,1,1,1] y)
        <float[1] s1 = {1}, uint8 z = {0}>
        {
            xf = DequantizeLinear (x, s1)
            yf = AveragePool <kernel_shape = [1, 2]> (xf)
            y = QuantizeLinear (yf, s1, z)
        }""",
        feed={'x': [4, 8]}, want={'y': [6]}),
    Case('a block of GlobalAveragePool with a scale for each channel', """<ir_version: 8, opset_import: ["" : 13]>
        case (int8[1,2,1,1] x) => (int8[1,2,1,1] y)
        <float[2] t = {1, 2}, float s = {1}, int8 z = {0}>
        {
            xf = DequantizeLinear (x, t)
            yf = GlobalAveragePool (xf)
            y = QuantizeLinear (yf, s, z)
        }""",
        feed={'x': [3, 4]}, want={'y': [3, 8]}),
])
