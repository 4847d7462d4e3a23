"""The Python binding makes int32 of an array of int64, without a word"""
from frames.opencv import check, node, numpy

X = numpy.array([2**40 + 5, 7], numpy.int64)

check(("Identity", X, [node("Identity", "x", "y")], {"x": X}, {}))
