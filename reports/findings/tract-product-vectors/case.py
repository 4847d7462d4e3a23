"""tract: vectors of scales and zero points of convolutions and products run along the wrong axis"""
from frames.tract import check, numpy, run

CONV = "(uint8[1, 1, 2] x) => (int32[1, 2, 2] y) { y = ConvInteger(x, w, zero, zeros) }"
ROWS = "(uint8[2, 2] a, uint8[2, 2] b) => (int32[2, 2] y) { y = MatMulInteger(a, b, zeros) }"
X, W = numpy.ones((1, 1, 2), numpy.uint8), numpy.full((2, 1, 1), 5, numpy.uint8)
FILTERS = {"zero": numpy.uint8(0), "zeros": numpy.array([3, 4], numpy.uint8)}
A = numpy.array([[1, 2], [3, 4]], numpy.uint8)

check(
    ("filters of 5 - 3 and 5 - 4", [[[2, 2], [1, 1]]], run(CONV, X, opset=10, w=W, **FILTERS)),
    ("rows of (1, 2) - 1 and (3, 4) - 2", [[3, 4], [7, 10]], run(ROWS, A, A, opset=10, zeros=numpy.array([1, 2], numpy.uint8))),
)
