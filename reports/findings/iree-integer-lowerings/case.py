"""Integer operators that torch-mlir lowers with the wrong sign, zero points or padding, on IREE, whose importer it is"""
from frames.iree import numpy, run, sys, TensorProto


def main():
    row = numpy.array([[[[123, 200]]]], numpy.uint8)
    below = numpy.full((1, 1, 1, 1), -5, numpy.int8)
    a, b = numpy.full((2, 1, 1), 255, numpy.uint8), numpy.full((2, 1, 1), 64, numpy.uint8)
    rows = [
        ("MaxPool of uint8 123 and 200", 200,
         run("MaxPool", [row], TensorProto.UINT8, [1, 1, 1, 1], kernel_shape=[1, 2])),
        ("MaxPool of int8 -5, padding after it", -5,
         run("MaxPool", [below], TensorProto.INT8, [1, 1, 1, 1], kernel_shape=[2, 2], pads=[0, 0, 1, 1])),
        ("MatMulInteger, a batch of uint8 255 by 64, first element", 255 * 64,
         run("MatMulInteger", [a, b], TensorProto.INT32, [2, 1, 1])),
    ]
    a, b = numpy.full((2, 1, 1), 207, numpy.uint8), numpy.full((2, 1, 1), 115, numpy.uint8)
    one, fine = numpy.float32(1), numpy.float32(1 / 64)
    constants = [one, numpy.uint8(0), fine, numpy.uint8(151), one, numpy.int8(0)]
    order = ["i0", "c0", "c1", "i1", "c2", "c3", "c4", "c5"]
    rows.append(
        ("QLinearMatMul, a batch of uint8 207 by 115 - 151, first element", round(207 * -36 / 64),
         run("QLinearMatMul", [a, b], TensorProto.INT8, [2, 1, 1], constants, order)))
    a, b = numpy.full((2, 2), 10, numpy.uint8), numpy.full((2, 1), 1, numpy.uint8)
    zeros = [numpy.array([1, 2], numpy.uint8), numpy.uint8(0)]
    rows.append(
        ("MatMulInteger, zero points 1 and 2 of the rows 10, first element", 2 * (10 - 1),
         run("MatMulInteger", [a, b], TensorProto.INT32, [2, 1], zeros)))
    wrong = 0
    for what, want, have in rows:
        print("%s: want %d, have %d" % (what, want, have.flat[0]))
        wrong += want != have.flat[0]
    return 1 if wrong else 0


sys.exit(main())
