"""Softmax before opset 13 is taken along one axis"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.zeros((1, 2, 2), FLOAT)}

check(("opset 11", numpy.full((1, 2, 2), 0.25, FLOAT), [node("Softmax", "x", "y", axis=1)], X, {}, 11))
