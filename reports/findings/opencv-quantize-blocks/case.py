"""QuantizeLinear in blocks along an axis before the last writes as many rows as there are blocks"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = {"x": numpy.arange(8, dtype=FLOAT).reshape(4, 2)}
REST = {"s": numpy.array([[1, 1], [2, 2]], FLOAT), "z": numpy.zeros((2, 2), U8)}
WANT = numpy.array([[0, 1], [2, 3], [2, 2], [3, 4]], U8)

check(("axis 0", WANT, [node("QuantizeLinear", "x s z", "y", axis=0, block_size=2)], X, REST))
