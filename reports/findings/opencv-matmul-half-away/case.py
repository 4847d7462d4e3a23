"""The fused int8 matrix product rounds some ties away from zero"""
from frames.opencv import FLOAT, S8, check, node, numpy

A = {"a": numpy.array([[2, 3]], S8)}
REST = {"s": FLOAT(1), "z": S8(0), "b": numpy.array([[1, -1], [1, -1]], S8), "t": FLOAT(0.5)}

check(("a tie", numpy.array([[2, -2]], S8), [node("QLinearMatMul", "a s z b t z s z", "y")], A, REST))
