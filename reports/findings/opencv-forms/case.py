"""Valid forms that are refused"""
from frames.opencv import FLOAT, S8, U8, check, helper, node, numpy

CODES = {"s": FLOAT(1), "z": U8(0)}
VECTOR, MATRIX = numpy.array([1, 2, 3], U8), numpy.array([[1, 3], [2, 4]], U8)
CUBE, IMAGE, SCALAR = numpy.arange(8, dtype=FLOAT).reshape(1, 1, 2, 2, 2), MATRIX.reshape(1, 1, 2, 2), numpy.array(5, FLOAT)
TWICE = numpy.array([1, 1, 1, 2], FLOAT)
POOLED = numpy.zeros((1, 1, 1, 1, 1), FLOAT)
WIDE = IMAGE.repeat(2, 3)
BIAS = {"s": FLOAT(1), "z": S8(0), "w": MATRIX.astype(S8), "c": numpy.array([1, -1], numpy.int32)}
LAYER = [node("DequantizeLinear", names, one) for names, one in (("x s z", "f"), ("w s z", "g"), ("c s", "h"))]
LAYER += [node("Gemm", "f g h", "e"), node("QuantizeLinear", "e s z", "y")]
EMPTY = helper.make_node("Transpose", ["x"], ["y"])
EMPTY.attribute.append(helper.make_attribute("perm", [], attr_type=7))  # a list of integers


def vendor(name, inputs, **attributes):
    return [node(name, inputs, "y", domain="com.microsoft", **attributes)]


check(
    # 1 + 4 + 9
    ("1 MatMul of vectors", numpy.array(14, FLOAT), [node("MatMul", "x w", "y")], {"x": VECTOR.astype(FLOAT)}, {"w": VECTOR.astype(FLOAT)}),
    ("1 QLinearMatMul of vectors", numpy.array(14, U8), [node("QLinearMatMul", "x s z w s z s z", "y")], {"x": VECTOR}, {**CODES, "w": VECTOR}),
    # (0 + … + 7) / 8 is 3.5, as a code 4, and 7 is the greatest
    ("2 GlobalAveragePool of three axes", POOLED + FLOAT(3.5), [node("GlobalAveragePool", "x", "y")], {"x": CUBE}, {}),
    ("2 GlobalMaxPool of three axes", POOLED + FLOAT(7), [node("GlobalMaxPool", "x", "y")], {"x": CUBE}, {}),
    ("2 QLinearGlobalAveragePool of three axes", POOLED.astype(U8) + U8(4),
     vendor("QLinearGlobalAveragePool", "x s z s z", channels_last=0), {"x": CUBE.astype(U8)}, CODES),
    ("3 Resize without mode", WIDE, [node("Resize", "x  r", "y")], {"x": IMAGE}, {"r": TWICE}),
    ("4 Resize, scales of three axes", WIDE[0], [node("Resize", "x  r", "y", mode="nearest")], {"x": IMAGE[0]}, {"r": TWICE[1:]}),
    ("4 Resize, scales of one axis", WIDE, [node("Resize", "x  r", "y", mode="nearest", axes=[3])], {"x": IMAGE}, {"r": TWICE[3:]}),
    ("5 QLinearConcat of a constant and another", numpy.array([1, 2, 3, 1, 2, 3], U8),
     vendor("QLinearConcat", "s z c s z x s z", axis=0), {"x": VECTOR}, {**CODES, "c": VECTOR}),
    # [1 2] [1 3; 2 4] + [1 -1] is [6 10]
    ("6 Gemm between codes, its bias too", numpy.array([[6, 10]], S8), LAYER, {"x": numpy.array([[1, 2]], S8)}, BIAS),
    ("7 Flatten of a scalar", SCALAR.reshape(1, 1), [node("Flatten", "x", "y", axis=0)], {"x": SCALAR}, {}),
    ("7 Transpose of a scalar", SCALAR, [EMPTY], {"x": SCALAR}, {}),
    ("7 Tile of a scalar", SCALAR, [node("Tile", "x r", "y")], {"x": SCALAR}, {"r": numpy.zeros(0, numpy.int64)}),
    ("8 Pad of six axes", numpy.array([0, 5], FLOAT).reshape(1, 1, 1, 1, 1, 2), [node("Pad", "x p", "y")],
     {"x": numpy.full((1,) * 6, 5, FLOAT)}, {"p": numpy.array([0, 0, 0, 0, 0, 1] + [0] * 6)}),
    ("9 ConstantOfShape without value", numpy.zeros(2, FLOAT), [node("ConstantOfShape", "x", "y")], {"x": numpy.array([2])}, {}),
)
