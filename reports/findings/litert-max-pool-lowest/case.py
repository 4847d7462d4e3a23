"""The built-in MAX_POOL_2D of minus infinity gives the lowest finite number"""
from frames.litert import FLOAT, Value, check, numpy, operator

POOL = operator("MAX_POOL_2D", "x", "y", "Pool2DOptions", padding=1, strideH=1, strideW=1, filterHeight=1, filterWidth=2)
VALUES = {"x": Value(numpy.full((1, 1, 2, 1), -numpy.inf, FLOAT)), "y": Value(numpy.zeros((1, 1, 1, 1), FLOAT))}

check(
    ("two of minus infinity, XNNPACK", [[[[[-numpy.inf]]]]], [POOL], VALUES, "y"),
    ("two of minus infinity, built-in kernel", [[[[[-numpy.inf]]]]], [POOL], VALUES, "y", "builtin"),
    ("two of minus infinity, reference kernel", [[[[[-numpy.inf]]]]], [POOL], VALUES, "y", "reference"),
)
