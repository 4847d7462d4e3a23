"""Models that break a rule of an operator end the process"""
from frames.opencv import FLOAT, U8, check, node, numpy

X, W = {"x": numpy.ones((1, 1, 2, 2), FLOAT)}, {"w": numpy.ones((1, 1, 1, 1), FLOAT)}
CODES = {"x": numpy.ones((1, 1, 2, 2), U8)}
PARAMETERS = {"s": FLOAT(1), "z": U8(0), "w": numpy.ones((1, 1, 1, 1), numpy.int8), "v": numpy.int8(0)}

check(
    ("Conv, a stride of 0", None, [node("Conv", "x w", "y", strides=[1, 0])], X, W),
    ("Conv, a window larger than its input", None, [node("Conv", "x w", "y", dilations=[5, 5])], X, {"w": numpy.ones((1, 1, 2, 2), FLOAT)}),
    ("SpaceToDepth, a blocksize of 0", None, [node("SpaceToDepth", "x", "y", blocksize=0)], X, {}),
    ("Tile, repeats of -1", None, [node("Tile", "x r", "y")], CODES, {"r": numpy.array([1, 1, 1, -1])}),
    ("QLinearConv without x_scale", None, [node("QLinearConv", "x  z w s v s z", "y")], CODES, PARAMETERS),
    ("Clip without input", None, [node("Clip", " l h", "y")], {}, {"l": FLOAT(0), "h": FLOAT(1)}),
)
