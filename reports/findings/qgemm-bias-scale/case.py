"""A Gemm whose bias has a scale of its own is fused to QGemm, which ignores that scale"""
from frames.onnxruntime import Case, main

main([
    Case('Gemm', """<ir_version: 10, opset_import: ["" : 13]>
        case (int8[1,1] a) => (int8[1,1] y)
        <int8[1,1] b = {0}, float as = {0.125}, float bs = {0.0078125}, int32[1] c = {-1}, float cs = {0.00390625},
            float ys = {0.00390625}, int8 z = {0}>
        {
            [DequantizeLinear_af] af = DequantizeLinear (a, as, z)
            [DequantizeLinear_bf] bf = DequantizeLinear (b, bs, z)
            [DequantizeLinear_cf] cf = DequantizeLinear (c, cs)
            [Gemm_yf] yf = Gemm (af, bf, cf)
            [QuantizeLinear_y] y = QuantizeLinear (yf, ys, z)
        }""",
        feed={'a': [0]}, want={'y': [-1]}),
    Case('MatMul and Add', """<ir_version: 10, opset_import: ["" : 13]>
        case (int8[1,1] a) => (int8[1,1] y)
        <int8[1,1] b = {0}, float as = {0.125}, float bs = {0.0078125}, int32[1] c = {-1}, float cs = {0.00390625},
            float ys = {0.00390625}, int8 z = {0}>
        {
            [DequantizeLinear_af] af = DequantizeLinear (a, as, z)
            [DequantizeLinear_bf] bf = DequantizeLinear (b, bs, z)
            [DequantizeLinear_cf] cf = DequantizeLinear (c, cs)
            [MatMul_mf] mf = MatMul (af, bf)
            [Add_yf] yf = Add (mf, cf)
            [QuantizeLinear_y] y = QuantizeLinear (yf, ys, z)
        }""",
        feed={'a': [0]}, want={'y': [-1]}),
])
