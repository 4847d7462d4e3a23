"""Integer matrix products over an inner dimension of 0 leave their output unwritten, or divide by zero"""
from frames.onnxruntime import Case, main

main([
    Case('MatMulInteger, one row, no inner elements, one column', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,0] a, int8[0,1] b) => (int32[1,1] y)
        { y = MatMulInteger (a, b) }""",
        feed={'a': [], 'b': []}, want={'y': [0]}),
    Case('MatMulInteger, the same with a zero point for each matrix of b', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,1,0] a, uint8[1,0,1] b) => (int32[1,1,1] y)
        <uint8[1,1,1] z = {0}>
        { y = MatMulInteger (a, b, "", z) }""",
        feed={'a': [], 'b': []}, want={'y': [0]}),
    Case('MatMulIntegerToFloat with a bias', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,0] a, uint8[0,1] b) => (float[1,1] y)
        <float s = {1}, float[1] c = {5}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, s, s, "", "", c) }""",
        feed={'a': [], 'b': []}, want={'y': [5.0]}),
    Case('QLinearMatMul', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,0] a, uint8[0,1] b) => (uint8[1,1] y)
        <float s = {1}, uint8 z = {7}>
        { y = QLinearMatMul (a, s, z, b, s, z, s, z) }""",
        feed={'a': [], 'b': []}, want={'y': [7]}),
    Case('QGemm', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,0] a, uint8[0,1] b) => (uint8[1,1] y)
        <float s = {1}, uint8 z = {7}>
        { y = com.microsoft.QGemm (a, s, z, b, s, z, "", s, z) }""",
        feed={'a': [], 'b': []}, want={'y': [7]}),
    Case('MatMul between DequantizeLinear and QuantizeLinear', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,0] a, uint8[0,1] b) => (uint8[1,1] y)
        <float s = {1}, uint8 z = {7}>
        {
            af = DequantizeLinear (a, s, z)
            bf = DequantizeLinear (b, s, z)
            yf = MatMul (af, bf)
            y = QuantizeLinear (yf, s, z)
        }""",
        feed={'a': [], 'b': []}, want={'y': [7]}),
    Case('ConvInteger without channels', """<ir_version: 8, opset_import: ["" : 13]>
        case (uint8[1,0,1] x, uint8[1,0,1] w) => (int32[1,1,1] y)
        { y = ConvInteger (x, w) }""",
        feed={'x': [], 'w': []}, want={'y': [0]}),
])
