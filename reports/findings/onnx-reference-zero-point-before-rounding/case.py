"""ReferenceEvaluator adds the zero point of QLinearMatMul and QLinearConv before it rounds"""
from frames.onnx_reference import check, numpy, run


def scalar(value, dtype):
    return numpy.asarray(value, dtype)


ONE, HALF, ZERO = scalar(1, numpy.float32), scalar(0.5, numpy.float32), scalar(0, numpy.uint8)


def run_on(op_type, shape, zero_point):
    x = numpy.ones(shape, numpy.uint8)
    return run(op_type, [x, HALF, ZERO, x, ONE, ZERO, ONE, scalar(zero_point, numpy.uint8)])


check(
    ("QLinearMatMul, 0.5 with zero point 0", [[0]], run_on("QLinearMatMul", (1, 1), 0)),
    ("QLinearMatMul, 0.5 with zero point 1", [[1]], run_on("QLinearMatMul", (1, 1), 1)),
    ("QLinearConv, 0.5 with zero point 0", [[[[0]]]], run_on("QLinearConv", (1, 1, 1, 1), 0)),
    ("QLinearConv, 0.5 with zero point 1", [[[[1]]]], run_on("QLinearConv", (1, 1, 1, 1), 1)),
)
