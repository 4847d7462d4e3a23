"""A block whose QuantizeLinear has no zero point is fused half-way"""
from frames.onnxruntime import Case, main

main([
    Case('Conv, Relu, and a QuantizeLinear of two inputs', """<ir_version: 10, opset_import: ["" : 13]>
        case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
        <uint8[1,1,1,1] w = {3}, float s = {1}, float ys = {2}>
        {
            [DequantizeLinear_xf] xf = DequantizeLinear (x, s)
            [DequantizeLinear_wf] wf = DequantizeLinear (w, s)
            [Conv_c] c = Conv (xf, wf)
            [Relu_r] r = Relu (c)
            [QuantizeLinear_y] y = QuantizeLinear (r, ys)
        }""",
        feed={'x': [2]}, want={'y': [3]}),
])
