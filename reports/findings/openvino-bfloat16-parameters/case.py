"""OpenVINO: bfloat16 scales make QLinearMatMul round its operands and the ends of its range to bfloat16"""
from frames.openvino import check, ml_dtypes, numpy, run

PRODUCT = "(int8[1, 1] a, int8[1, 1] b) => (uint8[1, 1] y) { y = QLinearMatMul(a, s, zero, b, s, zero, s, middle) }"
A, B = numpy.array([[-1]], numpy.int8), numpy.array([[95]], numpy.int8)
S = numpy.array(0.0051574707, ml_dtypes.bfloat16)

check(("128 + round(-0.48996)", [[128]], run(PRODUCT, A, B, s=S, zero=numpy.int8(0), middle=numpy.uint8(128))))
