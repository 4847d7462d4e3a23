"""The reference SOFTMAX ends the process where the input's scale is below 2^-26"""
from frames.litert import U8, Value, check, numpy, operator

SOFTMAX = operator("SOFTMAX", "x", "y", "SoftmaxOptions", beta=1.0)
CODES = numpy.array([[0, 1]], U8)
VALUES = {"x": Value(CODES, 2.0**-27), "y": Value(CODES, 2.0**-8)}
ALLOWED = {"x": Value(CODES, 2.0**-25), "y": Value(CODES, 2.0**-8)}

# e^0 and e^(2^-27): each a half but for 2^-29, code 128 of scale 1/256
check(
    ("a scale of 2^-27, XNNPACK", [[[128, 128]]], [SOFTMAX], VALUES, "y"),
    ("a scale of 2^-27, built-in kernel", [[[128, 128]]], [SOFTMAX], VALUES, "y", "builtin"),
    ("a scale of 2^-27, reference kernel", [[[128, 128]]], [SOFTMAX], VALUES, "y", "reference"),
    ("a scale of 2^-25, reference kernel", [[[128, 128]]], [SOFTMAX], ALLOWED, "y", "reference"),
)
