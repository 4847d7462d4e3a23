"""The bias of QLinearConv is dequantized by x_scale alone where another operand is no constant"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = {"x": numpy.ones((1, 1, 1, 2), U8), "ws": numpy.array(0.5, FLOAT)}
REST = {"xs": FLOAT(1), "xz": U8(0), "w": numpy.ones((1, 1, 1, 1), U8), "wz": U8(0), "ys": FLOAT(0.5), "yz": U8(0), "b": numpy.array([4], numpy.int32)}

check(("w_scale at run time", numpy.full((1, 1, 1, 2), 5, U8), [node("QLinearConv", "x xs xz w ws wz ys yz b", "y")], X, REST))
