"""A boolean initializer whose elements are in int32_data ends the process"""
from frames.opencv import FLOAT, TensorProto, check, helper, node, numpy

X = {"x": numpy.array([5, 6, 7], FLOAT)}
CHOICE = [True, False, True]
WANT = numpy.array([5, 0, 7], FLOAT)
WHERE = [node("Where", "c x z", "y")]

check(
    ("Where, int32_data", WANT, WHERE, X, {"c": helper.make_tensor("c", TensorProto.BOOL, [3], CHOICE), "z": FLOAT(0)}),
    ("Where, raw_data", WANT, WHERE, X, {"c": numpy.array(CHOICE), "z": FLOAT(0)}),
)
