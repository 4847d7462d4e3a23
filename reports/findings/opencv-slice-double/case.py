"""Slice of float64 with a step along the last axis copies nothing"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([1, 2, 3, 4, 5, 6], numpy.float64).reshape(2, 3)}
PARAMETERS = {
    "starts": numpy.array([0], numpy.int64),
    "ends": numpy.array([3], numpy.int64),
    "axes": numpy.array([1], numpy.int64),
    "steps": numpy.array([2], numpy.int64),
}
WANT = numpy.array([1, 3, 4, 6]).reshape(2, 2)
SLICE = [node("Slice", "x starts ends axes steps", "y")]

check(
    ("float64", WANT.astype(numpy.float64), SLICE, X, PARAMETERS),
    ("float32", WANT.astype(FLOAT), SLICE, {"x": X["x"].astype(FLOAT)}, PARAMETERS),
)
