"""Models that an unoptimized run refuses pass once the nodes that look are fused away"""
from frames.onnxruntime import Case, main

main([
    Case('two Transposes of three axes, x of four', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,1,1,1] x) => (float[1,1,1,1] y)
        {
            a = Transpose <perm = [2, 0, 1]> (x)
            y = Transpose <perm = [1, 2, 0]> (a)
        }""",
        feed={'x': [1.0]}, want=None),
    Case('a weight with one scale and two zero points', """<ir_version: 8, opset_import: ["" : 21]>
        case (uint8[1,1] x) => (float[1,2] y)
        <float s = {1}, uint8[1,2] w = {1, 1}, uint8[2] wz = {0, 0}>
        {
            xf = DequantizeLinear (x, s)
            wf = DequantizeLinear (w, s, wz)
            y = MatMul (xf, wf)
        }""",
        feed={'x': [1]}, want=None),
    Case('a bias of one element with two scales', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1] x) => (float[1,1] y)
        <float s = {1}, uint8 z = {0}, int8[1,1] w = {1}, int8 wz = {0}, int32[1] b = {7}, float[2] t = {1, 1}>
        {
            xf = DequantizeLinear (x, s, z)
            wf = DequantizeLinear (w, s, wz)
            bf = DequantizeLinear (b, t)
            p = MatMul (xf, wf)
            y = Add (p, bf)
        }""",
        feed={'x': [1]}, want=None),
    Case('a Softmax whose output has two scales for one element', """<ir_version: 8, opset_import: ["" : 21]>
        case (uint8[1,1] x) => (uint8[1,1] y)
        <float s = {1}, float[2] t = {1, 1}>
        {
            xf = DequantizeLinear (x, s)
            yf = Softmax (xf)
            y = QuantizeLinear (yf, t)
        }""",
        feed={'x': [1]}, want=None),
    Case('a bias of one element with two scales, Gemm', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1] x) => (float[1,1] y)
        <float s = {1}, uint8[1,1] w = {1}, int32[1] b = {7}, float[2] t = {1, 1}>
        {
            xf = DequantizeLinear (x, s)
            wf = DequantizeLinear (w, s)
            bf = DequantizeLinear (b, t)
            y = Gemm (xf, wf, bf)
        }""",
        feed={'x': [1]}, want=None),
    Case('a constant, squeezed along axes of rank 2, and dequantized', """<ir_version: 8, opset_import: ["" : 13]>
        case () => (float[1] y)
        <int8[1,1] x = {5}, int64[1,1] axes = {0}, float s = {1}>
        {
            q = Squeeze (x, axes)
            y = DequantizeLinear (q, s)
        }""",
        feed={}, want=None),
])
