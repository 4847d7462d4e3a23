"""QLinearConcat ends the process where its parameters are no constants"""
from frames.opencv import FLOAT, U8, check, node, numpy

X, NONE = {"x": numpy.array([2, 7], U8)}, {}
PARAMETERS = {"t": FLOAT(2), "p": U8(3), "s": FLOAT(4), "z": U8(0)}
CONCAT = [node("QLinearConcat", "t p x s z", "y", domain="com.microsoft", axis=0)]
WANT = numpy.array([7, 17], U8)  # 4 (x - 0) / 2 + 3

check(
    ("one operand, parameters at run time", WANT, CONCAT, {**X, **PARAMETERS}, NONE),
    ("one operand, constant parameters", WANT, CONCAT, X, PARAMETERS),
)
