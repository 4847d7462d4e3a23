"""Blocks between 2-bit or float8 codes, and Conv between 4-bit ones, are fused to operators without these types"""
from frames.onnxruntime import Case, main

main([
    Case('Conv between uint4 codes', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1,1,1] x) => (float[1,1,1] y)
        <float s = {1}, uint4 z = {0}, int8[1,1,1] w = {2}, int8 wz = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            wf = DequantizeLinear (w, s, wz)
            yf = Conv (xf, wf)
            yq = QuantizeLinear (yf, s, z)
            y = DequantizeLinear (yq, s, z)
        }""",
        feed={'x': [3.0]}, want={'y': [6.0]}),
    Case('Add between uint2 codes', """<ir_version: 8, opset_import: ["" : 25]>
        case (float[1] x) => (float[1] y)
        <float s = {1}, uint2 z = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            yf = Add (xf, xf)
            yq = QuantizeLinear (yf, s, z)
            y = DequantizeLinear (yq, s, z)
        }""",
        feed={'x': [1.0]}, want={'y': [2.0]}),
    Case('LeakyRelu between float8e4m3fn codes', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1] x) => (float[1] y)
        <float s = {1}, float8e4m3fn z = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            yf = LeakyRelu (xf)
            yq = QuantizeLinear (yf, s, z)
            y = DequantizeLinear (yq, s, z)
        }""",
        feed={'x': [3.0]}, want={'y': [3.0]}),
    Case('MatMul between float8e4m3fn codes', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1,1] x) => (float[1,1] y)
        <float s = {1}, float8e4m3fn z = {0}, int8[1,1] w = {2}, int8 wz = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            wf = DequantizeLinear (w, s, wz)
            yf = MatMul (xf, wf)
            yq = QuantizeLinear (yf, s, z)
            y = DequantizeLinear (yq, s, z)
        }""",
        feed={'x': [3.0]}, want={'y': [6.0]}),
])
