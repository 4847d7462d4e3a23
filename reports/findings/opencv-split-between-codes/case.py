"""A Split between codes gives the whole tensor, is refused, or gives nothing"""
from frames.opencv import FLOAT, U8, check, helper, node, numpy

X, CODES = {"x": numpy.array([1, 2, 3, 4], U8)}, {"s": FLOAT(1), "z": U8(0)}
HEAD, TAIL = numpy.array([1, 2], U8), numpy.array([3, 4], U8)
STEPS = [node("DequantizeLinear", "x s z", "d"), helper.make_node("Split", ["d"], ["a", "b"], axis=0)]
LENGTHS = [node("DequantizeLinear", "x s z", "d"), helper.make_node("Split", ["d", "n"], ["a", "b"], axis=0)]
FLOATS = [node("DequantizeLinear", "x s z", "d"), helper.make_node("Split", ["d"], ["y", "b"], axis=0)]
FIRST, SECOND = node("QuantizeLinear", "a s z", "y"), node("QuantizeLinear", "b s z", "c")

check(
    ("one part is used", HEAD, STEPS + [FIRST], X, CODES, 13),
    ("one part is used, lengths are given", HEAD, LENGTHS + [FIRST], X, {**CODES, "n": numpy.array([2, 2])}, 13),
    ("both parts to codes", HEAD, STEPS + [FIRST, SECOND], X, CODES, 13, {"c": TAIL}),
    ("one part to codes, one of floats", HEAD.astype(FLOAT), FLOATS + [SECOND], X, CODES, 13, {"c": TAIL}),
    ("floats", HEAD.astype(FLOAT), [helper.make_node("Split", ["x"], ["y", "b"], axis=0)], {"x": numpy.array([1, 2, 3, 4], FLOAT)}, {}, 13),
)
