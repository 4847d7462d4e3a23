"""The built-in DEQUANTIZE subtracts two rounded products"""
from frames.litert import U8, Value, check, numpy, operator

NODE = operator("DEQUANTIZE", "x", "y", "DequantizeOptions")
CODES = numpy.arange(16, dtype=U8) + 120
VALUES = {"x": Value(CODES, 0.1, 127), "y": Value(numpy.zeros(16, numpy.float32))}
WANT = [((CODES.astype(numpy.float32) - numpy.float32(127)) * numpy.float32(0.1)).tolist()]

check(("codes near the zero point 127, reference", WANT, [NODE], VALUES, "y", "reference"), ("built-in", WANT, [NODE], VALUES, "y", "builtin"))
