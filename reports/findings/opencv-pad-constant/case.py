"""Pad writes another constant than constant_value, if that is negative int8 or uint16 above 255"""
from frames.opencv import check, node, numpy


def row(what, dtype, constant):
    x = numpy.array([1, 2], dtype)
    return what, numpy.array([constant, 1, 2], dtype), [node("Pad", "x pads c", "y")], {"x": x}, {
        "pads": numpy.array([1, 0]), "c": numpy.array(constant, dtype)}


check(
    row("uint16, 33364", numpy.uint16, 33364),
    row("int8, -5", numpy.int8, -5),
    row("uint16, 84", numpy.uint16, 84),
    row("int16, -5", numpy.int16, -5),
)
