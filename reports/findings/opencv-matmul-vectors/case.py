"""QLinearMatMul takes parameters of rows, and of columns of a batch, along axis 1"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = numpy.array([[1, 2], [3, 4]], U8)
WIDE, TALL = numpy.array([[1, 2, 1], [3, 4, 1]], U8), numpy.array([[1, 2], [3, 4], [0, 0]], U8)
PARAMETERS = {"s": FLOAT(1), "z": U8(0), "w": X, "v": numpy.array([1, 2], FLOAT), "u": numpy.zeros(2, U8)}
AS_COLUMN = {**PARAMETERS, "w": TALL, "v": PARAMETERS["v"].reshape(2, 1), "u": PARAMETERS["u"].reshape(2, 1)}


def product(inputs):
    return [node("QLinearMatMul", inputs, "y")]


ROWS, COLUMNS = product("x v u w s z s z"), product("x s z w v u s z")

# [1 2; 3 4] [1 2; 3 4] is [7 10; 15 22]
check(
    ("a_scale of two rows", numpy.array([[7, 10], [30, 44]], U8), ROWS, {"x": X}, PARAMETERS),
    ("a_scale of two rows, three columns", numpy.array([[7, 10], [30, 44]], U8), ROWS, {"x": WIDE}, {**PARAMETERS, "w": TALL}),
    ("a_scale of shape [2, 1]", numpy.array([[7, 10], [30, 44]], U8), ROWS, {"x": WIDE}, AS_COLUMN),
    ("b_scale of two columns", numpy.array([[7, 20], [15, 44]], U8), COLUMNS, {"x": X}, PARAMETERS),
    ("b_scale of two columns, a batch of one", numpy.array([[[7, 20], [15, 44]]], U8), COLUMNS, {"x": X[None]}, {**PARAMETERS, "w": X[None]}),
    ("y_scale of two rows", numpy.array([[7, 10], [8, 11]], U8), product("x s z w s z v u"), {"x": X}, PARAMETERS),
)
