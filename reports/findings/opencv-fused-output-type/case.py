"""A fused layer gives the type of its input, not of y_zero_point"""
from frames.opencv import FLOAT, S8, U8, check, node, numpy

X = {"x": numpy.full((1, 1, 1, 8), 3, S8)}
REST = {"s": FLOAT(1), "z": S8(0), "w": numpy.ones((1, 1, 1, 1), S8), "v": U8(0)}

check(("int8 to uint8", numpy.full((1, 1, 1, 8), 3, U8), [node("QLinearConv", "x s z w s z s v", "y")], X, REST))
