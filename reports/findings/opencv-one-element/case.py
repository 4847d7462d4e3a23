"""QuantizeLinear to uint8 multiplies by the scale where one element is left from the axis on"""
from frames.opencv import FLOAT, U8, check, node, numpy

CODES = {"s": FLOAT(0.5), "z": U8(7)}
STEP = [node("QuantizeLinear", "x s z", "y")]

check(
    ("[3, 1]", numpy.full((3, 1), 13, U8), STEP, {"x": numpy.full((3, 1), 3, FLOAT)}, CODES),
    ("a scalar", numpy.array(13, U8), STEP, {"x": numpy.array(3, FLOAT)}, CODES),
    ("[1, 3]", numpy.full((1, 3), 13, U8), STEP, {"x": numpy.full((1, 3), 3, FLOAT)}, CODES),
)
