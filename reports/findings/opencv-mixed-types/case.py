"""Add and Mul between codes read the second operand in the type of the first"""
from frames.opencv import FLOAT, S8, U8, check, node, numpy

X = {"x": numpy.array([200, 3], U8), "w": numpy.array([-2, 4], S8)}
REST = {"s": FLOAT(1), "z": U8(0), "zs": S8(0)}
ENDS = [node("DequantizeLinear", "x s z", "a"), node("DequantizeLinear", "w s zs", "b"), node("Add", "a b", "c"), node("QuantizeLinear", "c s z", "y")]

check(("200 - 2", numpy.array([198, 7], U8), ENDS, X, REST))
