"""A reduction of a vector with noop_with_empty_axes and no axes gives one result and what is in memory"""
from frames.opencv import check, node, numpy

x = numpy.arange(4, dtype=numpy.int32)

check(("ReduceMax", x, [node("ReduceMax", "x", "y", noop_with_empty_axes=1)], {"x": x}, {}))
