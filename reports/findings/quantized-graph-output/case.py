"""A float graph output before Transpose and QuantizeLinear shows numbers that were quantized after it"""
from frames.onnxruntime import Case, main

main([
    Case('the output v', """<ir_version: 10, opset_import: ["" : 13]>
        case (uint8[1,1] x) => (float[1,1] v, uint8[1,1] y)
        <float s = {0.03125}, uint8 z = {255}, float ys = {0.0625}, uint8 yz = {0}>
        {
            [DequantizeLinear_d] d = DequantizeLinear (x, s, z)
            [Identity_v] v = Identity (d)
            [Transpose_t] t = Transpose <perm = [1, 0]> (v)
            [QuantizeLinear_y] y = QuantizeLinear (t, ys, yz)
        }""",
        feed={'x': [237]}, want={'v': [-0.5625], 'y': [0]}),
])
