"""MatMulNBits: 8 bits with float zero points"""
from frames.onnxruntime import Case, main

main([
    Case('8 bits with float zero points', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float[1,2] A) => (float[1,1] Y)
        <uint8[1,1,16] B = {3, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, float[1,1] scales = {0.5},
            float[1,1] zero_points = {1.5}>
        { [MatMulNBits_Y] Y = com.microsoft.MatMulNBits <K = 2, N = 1, bits = 8, block_size = 16> (A, B, scales, zero_points) }""",
        feed={'A': [2.0, 4.0]}, want={'Y': [8.5]}, rtol=1e-06),
    Case('2 bits with float16', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float16[1,2] A) => (float16[1,1] Y)
        <uint8[1,1,4] B = {7, 0, 0, 0}, float16[1,1] scales = {14336}>
        { [MatMulNBits_Y] Y = com.microsoft.MatMulNBits <K = 2, N = 1, bits = 2, block_size = 16> (A, B, scales) }""",
        feed={'A': [2.0, 4.0]}, want={'Y': [-1.0]}, rtol=0.001),
    Case('4 bits with float16, K = 17, blocks of 16', """<ir_version: 10, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float16[1,17] A, float16[1,2] scales) => (float16[1,1] Y)
        <uint8[1,2,8] B = {153, 153, 153, 153, 153, 153, 153, 153, 250, 255, 255, 255, 255, 255, 255, 255}>
        { [MatMulNBits_Y] Y = com.microsoft.MatMulNBits <K = 17, N = 1, bits = 4, block_size = 16> (A, B, scales) }""",
        feed={'A': [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0], 'scales': [0.5, 0.25]},
        want={'Y': [9.5]},
        rtol=0.001),
    Case('4 bits, float16, run-time scales, constant weights', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float16[1,1] a, float16[1,1] scales) => (float16[1,1] y)
        <uint8[8] codes = {0, 0, 0, 0, 0, 0, 0, 0}, int64[3] shape = {1, 1, 8}>
        {
            b = Reshape (codes, shape)
            y = com.microsoft.MatMulNBits <K = 1, N = 1, bits = 4, block_size = 16> (a, b, scales)
        }""",
        feed={'a': [1.0], 'scales': [1.0]}, want={'y': [-8.0]}),
])
