"""OpenVINO converts the results of com.microsoft's operators to codes as C does, without rounding and saturation"""
from frames.openvino import check, numpy, run

ADD = "(uint8[2] a, uint8[2] b) => (uint8[2] y) { y = com.microsoft.QLinearAdd(a, s, zero, b, one, zero, one, zero) }"
MEAN = """(uint8[1, 2] x) => (uint8[1, 1] y)
{ y = com.microsoft.QLinearReduceMean<axes = [1], keepdims = 1>(x, two, zero, one, zero) }"""
CONCAT = "(uint8[1] x) => (uint8[1] y) { y = com.microsoft.QLinearConcat<axis = 0>(s, zero, x, s, zero) }"
A, B = numpy.array([5, 200], numpy.uint8), numpy.array([0, 150], numpy.uint8)
ONE, ZERO = numpy.float32(1), numpy.uint8(0)

check(
    ("0.75 * 5 + 0 and 0.75 * 200 + 150", [4, 255], run(ADD, A, B, s=numpy.float32(0.75), one=ONE, zero=ZERO)),
    ("1 in steps of 41, and back", [1], run(CONCAT, numpy.array([1], numpy.uint8), s=numpy.float32(41), zero=ZERO)),
    ("a mean of 260", [[255]], run(MEAN, numpy.full((1, 2), 130, numpy.uint8), two=numpy.float32(2), one=ONE, zero=ZERO)),
)
