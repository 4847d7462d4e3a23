"""The built-in HARD_SWISH multiplies by a rounded sixth first, and x of 3 and more is not x"""
from frames.litert import FLOAT, Value, check, numpy, operator

NODE = operator("HARD_SWISH", "x", "y", "HardSwishOptions")
VALUES = {"x": Value(numpy.full(4, 3.078125, FLOAT)), "y": Value(numpy.zeros(4, FLOAT))}
WANT = [[3.078125] * 4]

check(("3.078125, reference kernel", WANT, [NODE], VALUES, "y", "reference"), ("built-in kernel", WANT, [NODE], VALUES, "y", "builtin"))
