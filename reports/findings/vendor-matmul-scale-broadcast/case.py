"""MatMulIntegerToFloat and DynamicQuantizeMatMul take a scale of B of any shape, and die of one larger than the output"""
from frames.onnxruntime import Case, main

main([
    Case('MatMulIntegerToFloat, two scales for one column', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (uint8[1,1] a, uint8[1,1] b) => (float[1,1] y)
        <float s = {1}, float[2] t = {1, 1}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, s, t) }""",
        feed={'a': [1], 'b': [1]}, want=None),
    Case('DynamicQuantizeMatMul, two scales for one column', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,1] a, uint8[1,1] b) => (float[1,1] y)
        <float[2] t = {1, 1}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, t) }""",
        feed={'a': [1.0], 'b': [1]}, want=None),
    Case('DynamicQuantizeMatMul, a scale for each row', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[2,1] a, uint8[1,1] b) => (float[2,1] y)
        <float[2,1] t = {1, 2}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, t) }""",
        feed={'a': [1.0, 1.0], 'b': [1]}, want=None),
])
