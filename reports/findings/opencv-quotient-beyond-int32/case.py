"""A quotient beyond int32 becomes the least code"""
from frames.opencv import FLOAT, U8, check, node, numpy

CODES = {"s": FLOAT(1), "z": U8(0)}
X = numpy.array([3e9, 1, numpy.inf], FLOAT)

check(("beyond int32", numpy.array([255, 1, 255], U8), [node("QuantizeLinear", "x s z", "y")], {"x": X}, CODES))
