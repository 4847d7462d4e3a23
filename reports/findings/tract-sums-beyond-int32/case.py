"""tract: the zero point is added to an int32 that is full, and shifts go beyond 31"""
from frames.tract import check, numpy, run

QUANTIZE = "(float[1] x) => (uint8[1] y) { y = QuantizeLinear(x, one, ten) }"
PRODUCT = "(int8[1, 1] a) => (int8[1, 2] y) { y = QLinearMatMul(a, s, zero, b, s, zero, one, zero) }"
B, A = numpy.array([[10, -3]], numpy.int8), numpy.array([[10]], numpy.int8)
PARAMETERS = {"s": numpy.float32(2.0**-16), "zero": numpy.int8(0), "one": numpy.float32(1)}

check(
    ("3e9 + 10 as uint8", [255], run(QUANTIZE, numpy.float32([3e9]), one=numpy.float32(1), ten=numpy.uint8(10))),
    ("(100, -30) * 2^-32", [[0, 0]], run(PRODUCT, A, b=B, opset=10, **PARAMETERS)),
)
