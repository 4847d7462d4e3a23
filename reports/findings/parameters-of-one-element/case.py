"""Parameters of one element are taken for those of the whole tensor, or not taken"""
from frames.onnxruntime import Case, main

main([
    Case('DequantizeLinear, one block of one element', """<ir_version: 8, opset_import: ["" : 21]>
        case (uint8[1] x) => (float[1] y)
        <float[1] s = {2}>
        { y = DequantizeLinear <axis = 0, block_size = 1> (x, s) }""",
        feed={'x': [3]}, want={'y': [6.0]}),
    Case('QGemm, a scale of shape [1] and a scalar zero point', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (int8[1,1] a, int8[1,1] b) => (float[1,1] y)
        <float s = {1}, float[1] s1 = {2}, int8 z = {0}>
        { y = com.microsoft.QGemm (a, s, z, b, s1, z) }""",
        feed={'a': [3], 'b': [5]}, want={'y': [30.0]}),
    Case('MatMulIntegerToFloat, B of rank 3 and a zero point for each column',
        """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1] a, int8[1,1,2] b) => (float[1,1,2] y)
        <float s = {1}, int8[2] bz = {1, 2}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, s, s, "", bz) }""",
        feed={'a': [3], 'b': [5, 5]}, want={'y': [12.0, 9.0]}),
    Case('DynamicQuantizeMatMul, B of rank 3 and a zero point for each column',
        """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,1] a, int8[1,1,2] b) => (float[1,1,2] y)
        <float s = {1}, int8[2] bz = {1, 2}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, s, bz) }""",
        feed={'a': [255.0], 'b': [5, 5]}, want={'y': [1020.0, 765.0]}),
])
