"""ConvTranspose with auto_pad SAME_* and strides gives too few elements"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([1, 2], FLOAT).reshape(1, 1, 1, 2)}
W = {"w": numpy.ones((1, 1, 1, 2), FLOAT)}
WANT = numpy.array([1, 1, 2, 2], FLOAT).reshape(1, 1, 1, 4)

check(("strides 2", WANT, [node("ConvTranspose", "x w", "y", auto_pad="SAME_UPPER", strides=[1, 2])], X, W))
