"""The built-in kernels of int8 codes round twice or more, half away from zero"""
from frames.litert import S8, Value, check, numpy, operator

ADD = operator("ADD", "a b", "y", "AddOptions")
LEAKY = operator("LEAKY_RELU", "a", "y", "LeakyReluOptions", alpha=0.5)
MEAN = operator("MEAN", "a axes", "y", "ReducerOptions", keepDims=True)
MUL = operator("MUL", "a b", "y", "MulOptions")
SUM = {"a": Value(numpy.array([1, 5], S8), 0.5), "b": Value(numpy.array([0, 0], S8), 0.5), "y": Value(numpy.zeros(2, S8), 1.0)}
PRODUCT = {**SUM, "b": Value(numpy.array([1, 1], S8), 1.0)}
SLOPE = {"a": Value(numpy.array([1, 5], S8), 0.5), "y": Value(numpy.zeros(2, S8), 1.0)}
AVERAGE = {"a": Value(numpy.array([[0, 1]], S8), 1.0), "axes": Value(numpy.array([1], numpy.int32), constant=True), "y": Value(numpy.zeros((1, 1), S8), 1.0)}

check(
    ("0.5 and 2.5 steps added", [[0, 2]], [ADD], SUM, "y", "builtin"),
    ("0.5 and 2.5 steps multiplied", [[0, 2]], [MUL], PRODUCT, "y", "builtin"),
    ("0.5 and 2.5 steps through LEAKY_RELU", [[0, 2]], [LEAKY], SLOPE, "y", "builtin"),
    ("the mean of 0 and 1", [[[0]]], [MEAN], AVERAGE, "y", "builtin"),
)
