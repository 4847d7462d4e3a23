"""The maximum of negative infinity and padding is the lowest finite number"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.full((1, 1, 1, 2), -numpy.inf, FLOAT)}
WANT = numpy.full((1, 1, 1, 2), -numpy.inf, FLOAT)

check(("padded", WANT, [node("MaxPool", "x", "y", kernel_shape=[1, 2], pads=[0, 1, 0, 0])], X, {}))
