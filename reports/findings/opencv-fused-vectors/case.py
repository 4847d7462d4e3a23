"""A layer fused with a QuantizeLinear of several scales takes the first"""
from frames.opencv import FLOAT, S8, U8, check, node, numpy

X = {"x": numpy.array([6, 10], U8).reshape(1, 1, 1, 2)}
REST = {"s": FLOAT(1), "z": U8(0), "w": numpy.array([1, 2], S8).reshape(2, 1, 1, 1), "zw": S8(0), "t": numpy.array([1, 4], FLOAT), "v": numpy.array([0, 1], U8)}
LAYER = [
    node("DequantizeLinear", "x s z", "a"),
    node("DequantizeLinear", "w s zw", "c"),
    node("Conv", "a c", "d"),
    node("QuantizeLinear", "d t v", "y", axis=1),
]

check(("two scales", numpy.array([6, 10, 4, 6], U8).reshape(1, 2, 1, 2), LAYER, X, REST))
