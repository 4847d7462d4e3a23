"""DequantizeLinear of int8, carried past Reshape, brings a QuantizeLinear to uint8"""
from frames.onnxruntime import Case, main

main([
    Case('DequantizeLinear and Reshape, opset 21', """<ir_version: 10, opset_import: ["" : 21]>
        case (int8[1,1,1,1] x) => (float[1] y)
        <float s = {0.5}, int8 z = {0}, int64[1] sh = {1}>
        {
            [DequantizeLinear_r] r = DequantizeLinear (x, s, z)
            [Reshape_y] y = Reshape (r, sh)
        }""",
        feed={'x': [-3]}, want={'y': [-1.5]}),
    Case('MaxPool', """<ir_version: 8, opset_import: ["" : 21]>
        case (int8[1,1,1] x) => (float[1,1,1] y)
        <float s = {0.5}, int8 z = {0}>
        {
            xf = DequantizeLinear (x, s, z)
            y = MaxPool <kernel_shape = [1]> (xf)
        }""",
        feed={'x': [-3]}, want={'y': [-1.5]}),
    Case('Slice', """<ir_version: 8, opset_import: ["" : 21]>
        case (int8[1] x) => (float[1] y)
        <float s = {0.5}, int8 z = {0}, int64[1] zero = {0}, int64[1] one = {1}>
        {
            xf = DequantizeLinear (x, s, z)
            y = Slice (xf, zero, one)
        }""",
        feed={'x': [-3]}, want={'y': [-1.5]}),
    Case('output_dtype float16', """<ir_version: 8, opset_import: ["" : 23]>
        case (int8[1] x) => (float16[1,1] y)
        <float s = {0.5}, int8 z = {0}, int64[2] shape = {1, 1}>
        {
            xf = DequantizeLinear <output_dtype = 10> (x, s, z)
            y = Reshape (xf, shape)
        }""",
        feed={'x': [-3]}, want={'y': [-1.5]}),
])
