"""MaxPool between codes of a negative scale takes the greatest code"""
from frames.opencv import FLOAT, S8, check, node, numpy

X = {"x": numpy.array([3, 7, -5], S8).reshape(1, 1, 3)}
REST = {"s": FLOAT(-1), "z": S8(0)}
ENDS = [node("DequantizeLinear", "x s z", "a"), node("MaxPool", "a", "b", kernel_shape=[2]), node("QuantizeLinear", "b s z", "y")]

check(("scale -1", numpy.array([[[3, -5]]], S8), ENDS, X, REST))
