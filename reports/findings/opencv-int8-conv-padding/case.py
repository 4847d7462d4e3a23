"""The padding of a fused int8 convolution does not hold the zero point"""
from frames.opencv import FLOAT, S8, check, node, numpy

X = {"x": numpy.array([10, 20, 30], S8).reshape(1, 1, 1, 3)}
REST = {"s": FLOAT(1), "z": S8(0), "w": numpy.array([1, 2, 4], S8).reshape(1, 1, 1, 3)}
WANT = numpy.array([100, 127, 80], S8).reshape(1, 1, 1, 3)

check(("pads 1, 1", WANT, [node("QLinearConv", "x s z w s z s z", "y", pads=[0, 1, 0, 1])], X, REST))
