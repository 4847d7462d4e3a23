"""DequantizeLinear and QuantizeLinear are carried past MaxPool with codes that MaxPool does not take"""
from frames.onnxruntime import Case, main

main([
    Case('int4', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1,1,2] x) => (float[1,1,1] y)
        <float s = {1}, int4 z = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            y = MaxPool <kernel_shape = [2]> (xf)
        }""",
        feed={'x': [1.0, 3.0]}, want={'y': [3.0]}),
    Case('uint4', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1,1,2] x) => (float[1,1,1] y)
        <float s = {1}, uint4 z = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            y = MaxPool <kernel_shape = [2]> (xf)
        }""",
        feed={'x': [1.0, 3.0]}, want={'y': [3.0]}),
    Case('uint4, a QuantizeLinear after MaxPool', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1,1,2] x) => (float[1,1,1] y)
        <float s = {1}, uint4 z = {0}>
        {
            m = MaxPool <kernel_shape = [2]> (x)
            q = QuantizeLinear (m, s, z)
            y = DequantizeLinear (q, s, z)
        }""",
        feed={'x': [1.0, 3.0]}, want={'y': [3.0]}),
    Case('float8e4m3fn', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1,1,2] x) => (float[1,1,1] y)
        <float s = {1}, float8e4m3fn z = {0}>
        {
            q = QuantizeLinear (x, s, z)
            xf = DequantizeLinear (q, s, z)
            y = MaxPool <kernel_shape = [2]> (xf)
        }""",
        feed={'x': [1.0, 3.0]}, want={'y': [3.0]}),
])
