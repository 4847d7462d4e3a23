"""Dequantized constants that are a graph output are never written, and outputs before them get each other's values"""
from frames.litert import FLOAT, S8, Value, check, numpy, operator

NODES = [operator("DEQUANTIZE", "q", "w", "DequantizeOptions"), operator("FULLY_CONNECTED", "x w", "y", "FullyConnectedOptions")]
VALUES = {
    "x": Value(numpy.ones((1, 2), FLOAT)),
    "q": Value(numpy.array([[1, 2], [3, 4]], S8), [1.0, 10.0], constant=True),
    "w": Value(numpy.zeros((2, 2), FLOAT)),
    "y": Value(numpy.zeros((1, 2), FLOAT)),
}
WANT = [[[3.0, 70.0]], [[1.0, 2.0], [30.0, 40.0]]]

CODES = numpy.array([1, -2, 3, -4], S8)
APART = [operator("DEQUANTIZE", "a", "b", "DequantizeOptions"), operator("ABS", "b", "y", "AbsOptions"), operator("DEQUANTIZE", "c", "z", "DequantizeOptions")]
FLOATS = {name: Value(numpy.zeros(4, FLOAT)) for name in "byz"}
TWO = {"a": Value(CODES, 1.0, constant=True), "c": Value(CODES, 10.0, constant=True), **FLOATS}
BOTH = [[1.0, 2.0, 3.0, 4.0], [10.0, -20.0, 30.0, -40.0]]

check(
    ("built-in kernels", WANT, NODES, VALUES, "y w", "builtin"),
    ("XNNPACK", WANT, NODES, VALUES, "y w", "xnnpack"),
    ("two outputs, built-in kernels", BOTH, APART, TWO, "y z", "builtin"),
    ("two outputs, XNNPACK", BOTH, APART, TWO, "y z", "xnnpack"),
)
