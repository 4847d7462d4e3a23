"""The float weight of a Conv between DequantizeLinear and QuantizeLinear is quantized when the model is loaded"""
from frames.onnxruntime import Case, main

# 2^-10 is a quarter of a step of the 256 codes from 0 to 1
main([
    Case('0 * 1 + 128 * 2^-10 is 1/8, two steps of 1/16', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,1,2] x) => (uint8[1,1,1,1] y)
        <float[1,1,1,2] w = {1, 0.0009765625}, float one = {1}, float step = {0.0625}, uint8 z = {0}>
        {
            xf = DequantizeLinear (x, one, z)
            yf = Conv (xf, w)
            y = QuantizeLinear (yf, step, z)
        }""",
        feed={'x': [0, 128]}, want={'y': [2]}),
    Case('Relu in between and a bias of 1', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,1,2] x) => (uint8[1,1,1,1] y)
        <float[1,1,1,2] w = {1, 0.0009765625}, float[1] b = {1}, float one = {1}, float step = {0.0625}, uint8 z = {0}>
        {
            xf = DequantizeLinear (x, one, z)
            yf = Conv (xf, w, b)
            r = Relu (yf)
            y = QuantizeLinear (r, step, z)
        }""",
        feed={'x': [0, 128]}, want={'y': [18]}),
])
