"""The float operand of MatMul or Gemm beside a dequantized weight is quantized to int8"""
from frames.onnxruntime import Case, main

main([
    Case('MatMul with weights of uint8', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,2] x) => (float[1,1] y)
        <uint8[2,1] w = {1, 0}, float s = {1}>
        {
            wf = DequantizeLinear (w, s)
            y = MatMul (x, wf)
        }""",
        feed={'x': [0.75, 1.0]}, want={'y': [0.75]}),
    Case('Gemm with weights of uint8', """<ir_version: 8, opset_import: ["" : 13]>
        case (float[1,2] x) => (float[1,1] y)
        <uint8[2,1] w = {1, 0}, float s = {1}>
        {
            wf = DequantizeLinear (w, s)
            y = Gemm (x, wf)
        }""",
        feed={'x': [1.0, 2.0]}, want={'y': [1.0]}),
])
