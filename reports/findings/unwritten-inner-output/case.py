"""An inner quantized graph output that equals the last one is never written"""
from frames.onnxruntime import Case, main

main([
    Case('u and v from one DequantizeLinear', """<ir_version: 10, opset_import: ["" : 21]>
        case (int16[1,4] x) => (int16[2,2] u, int16[2,2] v)
        <float s = {0.5}, int16 z = {0}, int64[2] sh = {2, 2}>
        {
            [DequantizeLinear_d] d = DequantizeLinear (x, s, z)
            [Reshape_r] r = Reshape (d, sh)
            [QuantizeLinear_u] u = QuantizeLinear (r, s, z)
            [DequantizeLinear_e] e = DequantizeLinear (u, s, z)
            [Identity_i] i = Identity (e)
            [QuantizeLinear_v] v = QuantizeLinear (i, s, z)
        }""",
        feed={'x': [1, 2, 3, 4]}, want={'u': [1, 2, 3, 4], 'v': [1, 2, 3, 4]}),
    Case('the DequantizeLinear between is an output', """<ir_version: 8, opset_import: ["" : 21]>
        case (int8[1,1,1,1] x) => (int8[1,1,1,1] v, float[1,1,1,1] uf)
        <float s = {0.5}, int8 z = {0}, int8[1,1,1,1] w = {2}>
        {
            u = QLinearConv (x, s, z, w, s, z, s, z)
            uf = DequantizeLinear (u, s, z)
            v = QuantizeLinear (uf, s, z)
        }""",
        feed={'x': [3]}, want={'v': [3], 'uf': [1.5]}),
    Case('int8, two quantizations in a row', """<ir_version: 8, opset_import: ["" : 21]>
        case (float[1] x) => (int8[1] u, int8[1] v)
        <float s = {0.5}, int8 z = {0}>
        {
            u = QuantizeLinear (x, s, z)
            uf = DequantizeLinear (u, s, z)
            v = QuantizeLinear (uf, s, z)
        }""",
        feed={'x': [1.5]}, want={'u': [3], 'v': [3]}),
])
