"""tract: a product of int64 matrices, and a sum over no elements, end the process"""
from frames.tract import check, numpy, run

PRODUCT = "(int64[1] a, int64[1, 2] b) => (int64[2] y) { y = MatMul(a, b) }"
SUM = """(int8[2, 2, 0] x) => (int8[2, 2] y)
{ a = DequantizeLinear(x, one, zero) b = ReduceSum<keepdims = 0>(a, axes) y = QuantizeLinear(b, one, zero) }"""
NOTHING, ONE, ZERO = numpy.zeros((2, 2, 0), numpy.int8), numpy.float32(1), numpy.int8(0)

check(
    ("1 * (1, 1)", [1, 1], run(PRODUCT, numpy.array([1]), numpy.array([[1, 1]]))),
    ("sums of nothing", [[0, 0], [0, 0]], run(SUM, NOTHING, one=ONE, zero=ZERO, axes=numpy.array([-1]))),
)
