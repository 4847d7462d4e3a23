"""tract: the output of QLinearConv has x's type, and not y_zero_point's"""
from frames.tract import check, numpy, run

CONV = "(int8[1, 1, 3] x) => (uint8[1, 1, 3] y) { y = QLinearConv(x, one, z, w, one, z, one, zero) }"
X = numpy.array([[[100, -10, 5]]], numpy.int8)
PARAMETERS = {"one": numpy.float32(1), "z": numpy.int8(0), "w": numpy.full((1, 1, 1), 3, numpy.int8), "zero": numpy.uint8(0)}

check(("300, -30 and 15 as uint8", [[[255, 0, 15]]], run(CONV, X, opset=10, **PARAMETERS)))
