"""AVERAGE_POOL_2D of codes rounds their mean half away from zero"""
from frames.litert import U8, Value, check, numpy, operator

POOL = operator("AVERAGE_POOL_2D", "x", "y", "Pool2DOptions", padding=1, strideH=1, strideW=1, filterHeight=2, filterWidth=2)
CODES = numpy.array([2, 0, 0, 0], U8).reshape(1, 2, 2, 1)
VALUES = {"x": Value(CODES, 1.0), "y": Value(numpy.zeros((1, 1, 1, 1), U8), 1.0)}

check(("one half, XNNPACK", [[[[[0]]]]], [POOL], VALUES, "y"), ("one half, built-in kernel", [[[[[0]]]]], [POOL], VALUES, "y", "builtin"))
