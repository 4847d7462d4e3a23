"""A convolution whose scales XNNPACK has no place for is taken by the delegate, and the model fails"""
from frames.litert import S8, Value, check, numpy, operator

CONV = operator("CONV_2D", "x w b", "y", "Conv2DOptions", padding=1, strideH=1, strideW=1)
VALUES = {
    "x": Value(numpy.full((1, 1, 1, 1), 1, S8), 256.0),
    "w": Value(numpy.full((1, 1, 1, 1), 1, S8), 1.0, constant=True),
    "b": Value(numpy.zeros(1, numpy.int32), 256.0, constant=True),
    "y": Value(numpy.zeros((1, 1, 1, 1), S8), 1.0),
}

check(
    ("256 steps, built-in kernel", [[[[[127]]]]], [CONV], VALUES, "y", "builtin"),
    ("256 steps, XNNPACK", [[[[[127]]]]], [CONV], VALUES, "y", "xnnpack"),
)
