"""A convolution of one tap does not pad, and gives what is in memory"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.full((1, 4, 1, 1), 5, FLOAT)}
W = {"w": numpy.full((4, 2, 1, 1), 2, FLOAT)}
WANT = numpy.array([0, 20, 0] * 4, FLOAT).reshape(1, 4, 1, 3)

check(("pads 1, 1", WANT, [node("Conv", "x w", "y", pads=[0, 1, 0, 1], group=2)], X, W))
