"""XNNPACK's float MEAN over axes that are not side by side adds up scaled sums"""
from frames.litert import FLOAT, Value, check, numpy, operator

MEAN = operator("MEAN", "x axes", "y", "ReducerOptions", keepDims=False)
PAIRS = numpy.zeros((5, 2, 2), FLOAT)
PAIRS[:, :, 0] = numpy.array([3, 3, 1, 0, 0], FLOAT)[:, None]
VALUES = {"x": Value(PAIRS), "axes": Value(numpy.array([0, 2], numpy.int32), constant=True), "y": Value(numpy.zeros(2, FLOAT))}
WANT = [[float(FLOAT(0.7))] * 2]

check(("7 / 10, built-in kernel", WANT, [MEAN], VALUES, "y", "builtin"), ("7 / 10, XNNPACK", WANT, [MEAN], VALUES, "y"))
