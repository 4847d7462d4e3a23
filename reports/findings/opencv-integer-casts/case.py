"""Cast of an integer that the other type cannot hold gives its nearest end"""
from frames.opencv import U8, check, node, numpy

X = {"x": numpy.array([200, 100], U8)}

check(("uint8 to int8", numpy.array([-56, 100], numpy.int8), [node("Cast", "x", "y", to=3)], X, {}))
