"""MaxPool between codes does not read dilations"""
from frames.opencv import FLOAT, U8, check, node, numpy

x = numpy.arange(8, dtype=U8).reshape(1, 1, 8)
POOL = [node("DequantizeLinear", "x s z", "r"), node("MaxPool", "r", "m", kernel_shape=[2], dilations=[2]), node("QuantizeLinear", "m s z", "y")]

check(("dilations 2", x[:, :, 2:], POOL, {"x": x}, {"s": FLOAT(1), "z": U8(0)}))
