"""Subnormal numbers count as 0"""
from frames.opencv import FLOAT, check, node, numpy

S = FLOAT(1e-40)
X = numpy.array([2**20], numpy.int32)

check(("scale 1e-40", X.astype(FLOAT) * S, [node("DequantizeLinear", "x s", "y")], {"x": X}, {"s": S}))
