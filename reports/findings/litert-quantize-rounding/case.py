"""QUANTIZE by channel rounds half away from zero, and XNNPACK's multiplies by a rounded reciprocal"""
from frames.litert import FLOAT, S8, U8, Value, check, numpy, operator

NODE = operator("QUANTIZE", "x", "y", "QuantizeOptions")
HALVES = numpy.array([[0.5, 1.5, 2.5]], FLOAT)

check(
    ("by channel", [[[0, 2, 2]]], [NODE], {"x": Value(HALVES), "y": Value(numpy.zeros((1, 3), U8), [1.0, 1.0, 1.0], axis=1)}, "y"),
    ("0.35 in steps of 0.1", [[3]], [NODE], {"x": Value(numpy.array([0.35], FLOAT)), "y": Value(numpy.zeros(1, S8), 0.1)}, "y"),
    ("three halves, built-in kernel", [[[0, 2, 2]]], [NODE], {"x": Value(HALVES), "y": Value(numpy.zeros((1, 3), U8), 1.0)}, "y", "builtin"),
)
