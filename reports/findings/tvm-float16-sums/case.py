"""TVM keeps sums of float16 in float16"""
from frames.tvm import check, numpy, run

X = numpy.array([[2048, 1, 1]], numpy.float16)
ONES = numpy.ones((3, 1), numpy.float16)
MATMUL = "(float16[1, 3] x) => (float16[1, 1] y) { y = MatMul(x, w) }"
CONV = "(float16[1, 3, 1] x) => (float16[1, 1, 1] y) { y = Conv(x, w) }"

check(
    ("MatMul: 2048 + 1 + 1", [[2050]], run(MATMUL, X, w=ONES)),
    ("Conv: 2048 + 1 + 1", [[[2050]]], run(CONV, X.reshape(1, 3, 1), w=ONES.reshape(1, 3, 1))),
)
