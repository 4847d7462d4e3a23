"""An absent zero point of int8 codes counts as uint8, or is read where it is not"""
from frames.opencv import FLOAT, S8, check, node, numpy

X = {"x": numpy.array([0, 100], S8)}
NAMES = "x s z s "

check(("QLinearSigmoid", numpy.array([0, 1], S8), [node("QLinearSigmoid", NAMES, "y", domain="com.microsoft")], X, {"s": FLOAT(1), "z": S8(0)}))
