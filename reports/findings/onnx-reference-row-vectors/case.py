"""ReferenceEvaluator lines up vectors for the rows of a matrix with its columns"""
from frames.onnx_reference import check, numpy, run


def scalar(value, dtype):
    return numpy.asarray(value, dtype)


def qlinear_matmul(b, a_scale, b_scale):
    a = numpy.full((2, 2), 10, numpy.uint8)
    def zeros(scale):
        return numpy.zeros(scale.shape, numpy.uint8)
    one = scalar(1, numpy.float32)
    return run("QLinearMatMul", [a, a_scale, zeros(a_scale), b, b_scale, zeros(b_scale), one, zeros(one)])


A = numpy.full((2, 2), 10, numpy.uint8)
ZERO, ROWS = scalar(0, numpy.uint8), numpy.array([1, 2], numpy.uint8)
ONE, TWO = scalar(1, numpy.float32), numpy.array([1, 2], numpy.float32)

check(
    ("MatMulInteger, zero points 1 and 2 of the rows 10 10", [[18], [16]],
     run("MatMulInteger", [A, numpy.ones((2, 1), numpy.uint8), ROWS, ZERO])),
    ("MatMulInteger, the same of rows of three", [[27], [24]],
     run("MatMulInteger", [numpy.full((2, 3), 10, numpy.uint8), numpy.ones((3, 1), numpy.uint8), ROWS, ZERO])),
    ("QLinearMatMul, scales 1 and 2 of the rows 10 10, a column of ones", [[20], [40]],
     qlinear_matmul(numpy.ones((2, 1), numpy.uint8), TWO, ONE)),
    ("QLinearMatMul, the same by a vector of ones", [20, 40], qlinear_matmul(numpy.ones(2, numpy.uint8), TWO, ONE)),
    ("QLinearMatMul, scales [2, 1] by a vector of ones", [20, 40],
     qlinear_matmul(numpy.ones(2, numpy.uint8), TWO.reshape(2, 1), ONE)),
)
