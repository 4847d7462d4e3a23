"""auto_pad: SAME_LOWER pads as SAME_UPPER, and the padding is that of strides 1 and no dilation"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([1, 2, 4, 8], FLOAT).reshape(1, 1, 1, 4)}
W = {"w": numpy.ones((1, 1, 1, 2), FLOAT)}
SIX = {"x": numpy.arange(1, 7, dtype=FLOAT).reshape(1, 1, 1, 6)}
THREE = {"w": numpy.ones((1, 1, 1, 3), FLOAT)}


def row(numbers):
    return numpy.array(numbers, FLOAT).reshape(1, 1, 1, 4)


check(
    ("SAME_LOWER", row([1, 3, 6, 12]), [node("Conv", "x w", "y", auto_pad="SAME_LOWER")], X, W),
    ("SAME_UPPER, dilation 2", row([2, 5, 10, 4]), [node("Conv", "x w", "y", auto_pad="SAME_UPPER", dilations=[1, 2])], X, W),
    ("SAME_UPPER, strides 2", numpy.array([[[[6, 12, 11]]]], FLOAT), [node("Conv", "x w", "y", auto_pad="SAME_UPPER", strides=[1, 2])], SIX, THREE),
)
