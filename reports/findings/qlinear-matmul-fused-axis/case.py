"""MatMul between per-axis parameters is fused to QLinearMatMul without a look at the axis"""
from frames.onnxruntime import Case, main

main([
    Case('weights with scales along axis 0', """<ir_version: 10, opset_import: ["" : 13]>
        case (uint8[1,2] x) => (uint8[1,3] y)
        <float s = {1}, uint8 z = {0}, int8[2,3] w = {1, 2, 3, 4, 5, 6}, float[2] ws = {1, 2}, int8[2] wz = {0, 0}>
        {
            [DequantizeLinear_xf] xf = DequantizeLinear (x, s, z)
            [DequantizeLinear_wf] wf = DequantizeLinear <axis = 0> (w, ws, wz)
            [MatMul_yf] yf = MatMul (xf, wf)
            [QuantizeLinear_y] y = QuantizeLinear (yf, s, z)
        }""",
        feed={'x': [1, 1]}, want={'y': [9, 12, 15]}),
    Case('an output with a scale for each row', """<ir_version: 10, opset_import: ["" : 13]>
        case (uint8[2,1] x) => (uint8[2,2] y)
        <float s = {1}, uint8 z = {0}, int8[1,2] w = {4, 8}, int8 wz = {0}, float[2] ys = {1, 2}, uint8[2] yz = {0, 0}>
        {
            [DequantizeLinear_xf] xf = DequantizeLinear (x, s, z)
            [DequantizeLinear_wf] wf = DequantizeLinear (w, s, wz)
            [MatMul_yf] yf = MatMul (xf, wf)
            [QuantizeLinear_y] y = QuantizeLinear <axis = 0> (yf, ys, yz)
        }""",
        feed={'x': [1, 1]}, want={'y': [4, 8, 2, 4]}),
    Case('a scale for each column of A, a float output', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,2] x) => (float[1,1] y)
        <float[2] t = {1, 2}, uint8[2] z = {0, 0}, int8[2,1] w = {3, 4}, float s = {1}>
        {
            xf = DequantizeLinear (x, t, z)
            wf = DequantizeLinear (w, s)
            y = MatMul (xf, wf)
        }""",
        feed={'x': [1, 1]}, want={'y': [11.0]}),
    Case('Conv, a scale for each input channel of w', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,2,1] x) => (uint8[1,1,1] y)
        <float s = {1}, int8[1,2,1] w = {3, 4}, float[2] t = {1, 2}, int8[2] wz = {0, 0}>
        {
            xf = DequantizeLinear (x, s)
            wf = DequantizeLinear (w, t, wz)
            yf = Conv (xf, wf)
            y = QuantizeLinear (yf, s)
        }""",
        feed={'x': [1, 1]}, want={'y': [11]}),
])
