"""Squeeze with an empty list of axes removes every dimension of 1"""
from frames.opencv import U8, check, node, numpy

X = {"x": numpy.array([[[3], [4]]], U8)}

check(
    ("no axes listed", X["x"], [node("Squeeze", "x axes", "y")], X, {"axes": numpy.array([], numpy.int64)}),
    ("axis 0", X["x"][0], [node("Squeeze", "x axes", "y")], X, {"axes": numpy.array([0])}),
)
