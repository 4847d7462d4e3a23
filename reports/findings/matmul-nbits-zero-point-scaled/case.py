"""MatMulNBits: 2 bits with float zero points are dequantized as a difference of two products"""
from frames.onnxruntime import Case, main

main([
    Case('2 bits with a float zero point near the code', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,1] A) => (float[1,1] Y)
        <uint8[1,1,4] B = {3, 0, 0, 0}, float[1,1] scales = {1.1}, float[1,1] zero_points = {2.9999998}>
        { Y = com.microsoft.MatMulNBits <K = 1, N = 1, bits = 2, block_size = 16> (A, B, scales, zero_points) }""",
        feed={'A': [1.0]}, want={'Y': [2.6226044269606064e-07]}, rtol=1e-06),
])
