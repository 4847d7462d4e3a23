"""Sub, Div, Max, Min, Pow and Mod between codes add"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = {"x": numpy.array([9, 8], U8), "w": numpy.array([4, 4], U8)}
REST = {"s": FLOAT(1), "z": U8(0)}


def row(op_type, *want):
    ends = [node("DequantizeLinear", "x s z", "a"), node("DequantizeLinear", "w s z", "b"), node(op_type, "a b", "c"), node("QuantizeLinear", "c s z", "y")]
    return op_type, numpy.array(want, U8), ends, X, REST


check(row("Sub", 5, 4), row("Div", 2, 2), row("Max", 9, 8), row("Min", 4, 4), row("Add", 13, 12))
