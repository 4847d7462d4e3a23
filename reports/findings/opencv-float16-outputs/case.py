"""Tensors of float16 become float32, graph outputs too"""
from frames.opencv import check, node, numpy

check(("Abs", numpy.array([1, 2], numpy.float16), [node("Abs", "x", "y")], {"x": numpy.array([-1, 2], numpy.float16)}, {}))
