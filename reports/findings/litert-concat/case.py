"""CONCATENATION converts uint8 codes of another scale in float32, half away from zero"""
from frames.litert import U8, Value, check, numpy, operator

JOIN = operator("CONCATENATION", "a b", "y", "ConcatenationOptions", axis=0)
CODES = {"a": Value(numpy.array([1, 5], U8), 0.5), "b": Value(numpy.array([7], U8), 1.0), "y": Value(numpy.zeros(3, U8), 1.0)}

check(("0.5, 2.5 and 7 steps", [[0, 2, 7]], [JOIN], CODES, "y"))
