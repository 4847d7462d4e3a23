"""A LeakyRelu between codes becomes a Relu"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = {"x": numpy.array([0, 6], U8)}
REST = {"s": FLOAT(1), "z": U8(4), "t": FLOAT(1), "v": U8(100)}
QDQ = [node("DequantizeLinear", "x s z", "a"), node("LeakyRelu", "a", "b", alpha=0.5), node("QuantizeLinear", "b t v", "y")]
VENDOR = [node("QLinearLeakyRelu", "x s z t v", "y", domain="com.microsoft", alpha=0.5)]

check(
    ("between codes", numpy.array([98, 102], U8), QDQ, X, REST),
    ("QLinearLeakyRelu", numpy.array([98, 102], U8), VENDOR, X, REST),
)
