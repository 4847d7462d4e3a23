"""The built-in ADD of uint8 codes wraps where it should saturate"""
from frames.litert import U8, Value, check, numpy, operator

ADD = operator("ADD", "a b", "y", "AddOptions")
CODES = {"a": Value(numpy.full(16, 255, U8), 1.0), "b": Value(numpy.full(16, 255, U8), 1.0), "y": Value(numpy.zeros(16, U8), 0.001953125)}

check(
    ("510 in steps of 1/512, reference kernel", [[255] * 16], [ADD], CODES, "y", "reference"),
    ("510 in steps of 1/512, built-in kernel", [[255] * 16], [ADD], CODES, "y", "builtin"),
)
