"""On an Arm core without float16 arithmetic MatMulNBits of float16 ends the process"""
from frames.onnxruntime import Case, main

ZEROS = ', '.join(['0'] * 64)

main([
    Case('0 times weights of 4 bits', """<ir_version: 8, opset_import: ["" : 13, "com.microsoft" : 1]>
        case (float16[1,1] a, float16[1,1] s) => (float16[1,1] y)
        <uint8[64] codes = {%s}, int64[3] shape = {1, 1, 64}>
        {
            b = Reshape (codes, shape)
            y = com.microsoft.MatMulNBits <K = 1, N = 1, bits = 4, block_size = 128> (a, b, s)
        }""" % ZEROS,
        feed={'a': [0.0], 's': [1.0]}, want={'y': [0.0]}),
])
