"""QLinearConv takes a bias whose scale differs from x_scale*w_scale by 0.4 %"""
from frames.onnxruntime import Case, main

main([
    Case('1716 steps of a bias', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,1,1] x) => (uint8[1,1,1,1] y)
        <float xs = {0.140625}, uint8[1,1,1,1] w = {163}, float ws = {0.014511108}, uint8 wz = {128}, int32[1] b = {1716},
            float bs = {0.0020484924}>
        {
            xf = DequantizeLinear (x, xs)
            wf = DequantizeLinear (w, ws, wz)
            bf = DequantizeLinear (b, bs)
            yf = Conv (xf, wf, bf)
            y = QuantizeLinear (yf, xs)
        }""",
        feed={'x': [1]}, want={'y': [26]}),
])
