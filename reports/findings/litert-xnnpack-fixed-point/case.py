"""XNNPACK adds codes and leaks a ReLU with integer factors, and rounds half up"""
from frames.litert import S8, Value, check, numpy, operator

ADD = operator("ADD", "a b", "y", "AddOptions")
LEAKY = operator("LEAKY_RELU", "a", "y", "LeakyReluOptions", alpha=0.1)
SUM = {"a": Value(numpy.array([1, 5], S8), 0.5), "b": Value(numpy.array([0, 0], S8), 0.5), "y": Value(numpy.zeros(2, S8), 1.0)}
SLOPE = {"a": Value(numpy.array([-94, 94], S8), 1.0), "y": Value(numpy.zeros(2, S8), 1.0)}

check(
    ("0.5 and 2.5 steps, half to even", [[0, 2]], [ADD], SUM, "y"),
    ("-9.4 steps", [[-9, 94]], [LEAKY], SLOPE, "y"),
)
