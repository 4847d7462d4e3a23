"""Clip and Relu are removed before a QuantizeLinear whose range they cut"""
from frames.onnxruntime import Case, main

main([
    Case('Clip to ten steps of 2^-32', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, float most = {2.3283064e-09}, float ys = {2.3283064e-10}, uint8 z = {0}>
        {
            xf = DequantizeLinear (x, s)
            c = Clip (xf, "", most)
            y = QuantizeLinear (c, ys, z)
        }""",
        feed={'x': [1]}, want={'y': [10]}),
    Case('Clip to -1 before a scale of -1', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1] x) => (uint8[1] y)
        <float s = {1}, float most = {-1}, uint8 z = {2}>
        {
            xf = DequantizeLinear (x, s)
            c = Clip (xf, "", most)
            y = QuantizeLinear (c, most, z)
        }""",
        feed={'x': [1]}, want={'y': [3]}),
    Case('Relu before a scale of -1', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[4] x) => (uint8[4] y)
        <float s = {-1}, uint8 z = {0}>
        {
            r = Relu (x)
            y = QuantizeLinear (r, s, z)
        }""",
        feed={'x': [-3.0, -1.0, 0.0, 2.0]}, want={'y': [0, 0, 0, 0]}),
])
