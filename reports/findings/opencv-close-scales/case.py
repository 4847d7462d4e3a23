"""Scales that differ by less than a millionth count as one"""
from frames.opencv import FLOAT, U8, check, node, numpy

codes = numpy.array([8, 16, 24, 32], U8).reshape(1, 1, 1, 4)
SCALES = {"s": FLOAT(2.0**-21), "t": FLOAT(2.0**-20), "z": U8(0)}

check(
    ("QLinearConcat", codes // 2, [node("QLinearConcat", "t z x s z", "y", domain="com.microsoft", axis=1)], {"x": codes}, SCALES),
    (
        "Transpose",
        codes // 2,
        [node("DequantizeLinear", "x s z", "r"), node("Transpose", "r", "m", perm=[0, 1, 2, 3]), node("QuantizeLinear", "m t z", "y")],
        {"x": codes},
        SCALES,
    ),
)
