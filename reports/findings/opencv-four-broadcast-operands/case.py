"""Of four operands the last is compared with elements beyond the row, and written there, where one of the first two is broadcast"""
from frames.opencv import FLOAT, check, node, numpy

ROWS = {"a": numpy.array([[1, 2]], FLOAT), "c": numpy.array([[3, 4]], FLOAT)}
COLUMNS = {"b": numpy.array([[1], [2]], FLOAT), "d": numpy.array([[7], [8]], FLOAT)}
WANT = numpy.array([[7, 7], [8, 8]], FLOAT)

check(
    ("Max of row, column, row, column", WANT, [node("Max", "a b c d", "y")], {**ROWS, **COLUMNS}, {}),
    ("Max of row, row, column, column", WANT, [node("Max", "a c b d", "y")], {**ROWS, **COLUMNS}, {}),
    ("Min of row, column, row, column", -WANT, [node("Min", "a b c d", "y")], {k: -x for k, x in {**ROWS, **COLUMNS}.items()}, {}),
)
