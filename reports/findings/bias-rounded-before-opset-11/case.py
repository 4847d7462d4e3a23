"""A float bias between quantized operands makes a model of opset 10 unloadable"""
from frames.onnxruntime import Case, main

main([
    Case('Conv', """<ir_version: 8, opset_import: ["" : 10]>
        case (int8[1,1,1,1] x) => (int8[1,1,1,1] y)
        <float s = {1}, int8[1,1,1,1] w = {1}, float[1] b = {2}, int8 z = {0}>
        {
            xf = DequantizeLinear (x, s)
            wf = DequantizeLinear (w, s)
            yf = Conv (xf, wf, b)
            y = QuantizeLinear (yf, s, z)
        }""",
        feed={'x': [3]}, want={'y': [5]}),
    Case('ConvTranspose', """<ir_version: 8, opset_import: ["" : 10]>
        case (int8[1,1,1,1] x) => (int8[1,1,1,1] y)
        <float s = {1}, int8[1,1,1,1] w = {1}, float[1] b = {2}, int8 z = {0}>
        {
            xf = DequantizeLinear (x, s)
            wf = DequantizeLinear (w, s)
            yf = ConvTranspose (xf, wf, b)
            y = QuantizeLinear (yf, s, z)
        }""",
        feed={'x': [3]}, want={'y': [5]}),
])
