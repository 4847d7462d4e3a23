"""Resize, linear: positions are cut off 10⁻⁶ before the last element"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([[[[-2, -1], [-2, -1]]]], FLOAT)}
REST = {"r": numpy.array([], FLOAT), "t": numpy.array([1, 1, 1, 1.5], FLOAT)}

check(("after the last", numpy.array([[[[-2, -1.5, -1]] * 2]], FLOAT), [node("Resize", "x r t", "y", mode="linear")], X, REST))
