"""XNNPACK's MEAN of codes adds the zero point before it rounds"""
from frames.litert import S8, Value, check, numpy, operator

MEAN = operator("MEAN", "a axes", "y", "ReducerOptions", keepDims=True)
VALUES = {"a": Value(numpy.array([[0, 1]], S8), 1.0), "axes": Value(numpy.array([1], numpy.int32), constant=True), "y": Value(numpy.zeros((1, 1), S8), 1.0, 1)}

check(("the mean of 0 and 1, zero point 1", [[[1]]], [MEAN], VALUES, "y"))
