"""Split without axis is taken along axis 1"""
from frames.opencv import FLOAT, check, helper, numpy

X = {"x": numpy.array([[1, 2], [3, 4]], FLOAT)}
REST = {"z": numpy.zeros((1, 2), FLOAT)}
WANT = numpy.array([[1, 2]], FLOAT)

check(
    ("opset 21, axis left out", WANT, [helper.make_node("Split", ["x"], ["y", "z"], num_outputs=2)], X, {}, 21, REST),
    ("opset 13, axis left out", WANT, [helper.make_node("Split", ["x"], ["y", "z"])], X, {}, 13, REST),
    ("axis 0", WANT, [helper.make_node("Split", ["x"], ["y", "z"], axis=0)], X, {}, 13, REST),
)
