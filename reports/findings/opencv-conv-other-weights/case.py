"""Conv with weights at run time keeps the number of filters and the kernel of its first weights"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([1, 2, 3], FLOAT).reshape(1, 1, 1, 3)}
TWO = {"w": numpy.array([1, 10], FLOAT).reshape(2, 1, 1, 1)}
THREE = {"w": numpy.array([1, 10, 100], FLOAT).reshape(3, 1, 1, 1)}
WANT = numpy.array([1, 2, 3, 10, 20, 30, 100, 200, 300], FLOAT).reshape(1, 3, 1, 3)
CONV = [node("Conv", "x w", "y")]

check(
    ("three filters", WANT, CONV, THREE, X, 21, None, [THREE]),
    ("three filters after two", WANT, CONV, THREE, X, 21, None, [TWO]),
)
