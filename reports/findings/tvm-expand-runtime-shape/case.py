"""TVM's Expand with a shape given at run time does not broadcast"""
from frames.tvm import check, numpy, run

VECTOR = "(float[3] x, int64[1] shape) => (float[N] y) { y = Expand(x, shape) }"
MATRIX = "(float[2, 1] x, int64[2] shape) => (float[M, N] y) { y = Expand(x, shape) }"
X = numpy.array([1, 2, 3], numpy.float32)
COLUMN = numpy.array([[1], [2]], numpy.float32)

check(
    ("(1, 2, 3) by the shape (1)", X, run(VECTOR, X, numpy.array([1]))),
    ("a column of two by the shape (1, 3)", [[1, 1, 1], [2, 2, 2]], run(MATRIX, COLUMN, numpy.array([1, 3]))),
)
