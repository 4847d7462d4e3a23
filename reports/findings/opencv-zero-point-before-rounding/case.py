"""QuantizeLinear multiplies by a rounded reciprocal and rounds after the zero point is added"""
from frames.opencv import FLOAT, U8, check, node, numpy

CODES = {"s": FLOAT(1), "z": U8(1)}
X = numpy.array([0.5, 1.5, 2.5], FLOAT)

check(("ties, zero point 1", numpy.array([1, 3, 3], U8), [node("QuantizeLinear", "x s z", "y")], {"x": X}, CODES))
