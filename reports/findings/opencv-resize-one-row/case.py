"""Resize, linear, of one row: the row before it is read"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([[[[2**20, 2**20]], [[0, 0]]]], FLOAT)}
REST = {"sizes": numpy.array([1, 2, 1, 4], numpy.int64)}
NODES = [
    node("Resize", "x   sizes", "r", mode="linear"),
    node("Slice", "r one two axis", "y"),
]
RANGE = {"one": numpy.array([1], numpy.int64), "two": numpy.array([2], numpy.int64), "axis": numpy.array([1], numpy.int64)}

check(("second channel", numpy.zeros((1, 1, 1, 4), FLOAT), NODES, X, REST | RANGE))
