"""The scale of an int32 bias between codes is not read"""
from frames.opencv import FLOAT, S8, check, node, numpy

X = {"x": numpy.zeros((1, 1, 1, 8), S8)}
REST = {
    "s": FLOAT(1), "z": S8(0), "w": numpy.zeros((1, 1, 1, 1), S8), "t": FLOAT(1 / 64), "b": numpy.array([-1], numpy.int32), "u": FLOAT(1 / 2048), "v": FLOAT(1 / 128),
}
LAYER = [
    node("DequantizeLinear", "x s z", "a"),
    node("DequantizeLinear", "w t z", "c"),
    node("DequantizeLinear", "b u", "d"),
    node("Conv", "a c d", "e"),
    node("QuantizeLinear", "e v z", "y"),
]

check(("bias", numpy.zeros((1, 1, 1, 8), S8), LAYER, X, REST))
