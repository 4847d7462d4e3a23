"""OpenVINO multiplies floats where MatMulIntegerToFloat and DynamicQuantizeMatMul multiply integers"""
from frames.openvino import check, numpy, run

TO_FLOAT = "(int8[1, 2] a, int8[2, 1] b) => (float[1, 1] y) { y = com.microsoft.MatMulIntegerToFloat(a, b, s, t) }"
DYNAMIC = "(float[1, 3] x) => (float[1, 1] y) { y = com.microsoft.DynamicQuantizeMatMul(x, w, half, zero) }"
A, B = numpy.array([[127, -1]], numpy.int8), numpy.array([[1], [127]], numpy.int8)
X, W = numpy.float32([[0.4, 0.4, 255]]), numpy.array([[1], [2], [0]], numpy.uint8)

check(
    ("127 - 127", [[0]], run(TO_FLOAT, A, B, s=numpy.float32(0.1), t=numpy.float32(0.7))),
    ("0.4 is the code 0, where the scale is 1", [[0]], run(DYNAMIC, X, w=W, half=numpy.float32(0.5), zero=numpy.uint8(0))),
)
