"""A reduction over all axes with keepdims 0 gives a vector of one element"""
from frames.opencv import FLOAT, check, node, numpy

X, AXES = {"x": numpy.array([1, 2, 3], FLOAT)}, {"axes": numpy.array([0])}

check(
    ("ReduceMean of a vector, keepdims 0", numpy.array(2, FLOAT), [node("ReduceMean", "x axes", "y", keepdims=0)], X, AXES),
    ("ReduceSum of a vector, keepdims 0", numpy.array(6, FLOAT), [node("ReduceSum", "x axes", "y", keepdims=0)], X, AXES),
    ("Identity of a scalar", numpy.array(6, FLOAT), [node("Identity", "x", "y")], {"x": numpy.array(6, FLOAT)}, {}),
)
