"""OpenCV's Pow of integers to the power of a float gives floats"""
from frames.opencv import FLOAT, check, node, numpy

S32 = numpy.int32


def row(what, exponent):
    return what, numpy.array([9, 16], S32), [node("Pow", "x e", "y")], {"x": numpy.array([3, 4], S32)}, {"e": exponent}


check(row("int32 to the power of a float32", FLOAT(2)), row("int32 to the power of an int32", S32(2)))
