"""ConvTranspose with SAME_LOWER is padded as with SAME_UPPER"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([1, 2], FLOAT).reshape(1, 1, 1, 2)}
W = {"w": numpy.array([1, 10], FLOAT).reshape(1, 1, 1, 2)}
WANT = numpy.array([12, 20], FLOAT).reshape(1, 1, 1, 2)

check(("SAME_LOWER", WANT, [node("ConvTranspose", "x w", "y", auto_pad="SAME_LOWER")], X, W))
