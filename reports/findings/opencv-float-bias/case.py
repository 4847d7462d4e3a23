"""A float bias of a layer between codes is rounded to steps of x_scale·w_scale"""
from frames.opencv import FLOAT, S8, U8, check, node, numpy

X = {"x": numpy.ones((1, 1, 1, 8), U8)}
REST = {"s": FLOAT(1), "z": U8(0), "zw": S8(0), "w": numpy.ones((1, 1, 1, 1), S8), "b": numpy.array([0.4], FLOAT), "t": FLOAT(0.25)}
LAYER = [
    node("DequantizeLinear", "x s z", "a"),
    node("DequantizeLinear", "w s zw", "c"),
    node("Conv", "a c b", "d"),
    node("QuantizeLinear", "d t z", "y"),
]

check(("bias 0.4", numpy.full((1, 1, 1, 8), 6, U8), LAYER, X, REST))
