"""MatMulIntegerToFloat and DynamicQuantizeMatMul multiply the bias by b_scale where B is no matrix"""
from frames.onnxruntime import Case, main

main([
    Case('the bias of MatMulIntegerToFloat', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (uint8[1,1,1] a) => (float[1,1,2] y)
        <float as = {1}, uint8[1,1,2] b = {3, 4}, float[2] bs = {1, 0.5}, float[2] c = {10, 20}>
        { y = com.microsoft.MatMulIntegerToFloat (a, b, as, bs, , , c) }""",
        feed={'a': [2]}, want={'y': [16, 24]}),
    Case('the bias of DynamicQuantizeMatMul', """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
        case (float[1,1,1] a) => (float[1,1,2] y)
        <uint8[1,1,2] b = {3, 4}, float[2] bs = {1, 0.5}, float[2] c = {10, 20}>
        { y = com.microsoft.DynamicQuantizeMatMul (a, b, bs, , c) }""",
        feed={'a': [255]}, want={'y': [775, 530]}),
])
