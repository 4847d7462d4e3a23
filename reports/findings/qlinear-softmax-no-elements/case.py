"""QLinearSoftmax of no elements makes no output"""
from frames.onnxruntime import Case, main

main([
    Case('QLinearSoftmax', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[0,2] x) => (float[0,2] y)
        <float s = {1}, uint8 z = {0}>
        {
            q = com.microsoft.QLinearSoftmax <axis = -1, opset = 13> (x, s, z, s, z)
            y = DequantizeLinear (q, s, z)
        }""",
        feed={'x': []}, want={'y': []}),
    Case('Softmax between DequantizeLinear and QuantizeLinear', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[0,2] x) => (float[0,2] y)
        <float s = {1}, uint8 z = {0}>
        {
            xf = DequantizeLinear (x, s, z)
            p = Softmax (xf)
            q = QuantizeLinear (p, s, z)
            y = DequantizeLinear (q, s, z)
        }""",
        feed={'x': []}, want={'y': []}),
])
