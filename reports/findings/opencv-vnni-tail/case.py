"""On a CPU with AVX-VNNI the last positions of a 1x1 int8 convolution are computed with scrambled weights"""
from frames.opencv import FLOAT, U8, check, node, numpy

CONV = [node("QLinearConv", "x s z w s v s z", "y")]
REST = {"s": FLOAT(1), "z": U8(0), "v": numpy.int8(0), "w": numpy.full((1, 2, 1, 1), 2, numpy.int8)}


def positions(count):
    """3 in two channels, each times 2."""
    return "%d positions" % count, numpy.full((1, 1, 1, count), 12, U8), CONV, {"x": numpy.full((1, 2, 1, count), 3, U8)}, REST


check(positions(1), positions(8), positions(9))
