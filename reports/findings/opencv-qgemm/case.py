"""QGemm refuses its bias, its float output and scales of columns"""
from frames.opencv import FLOAT, U8, check, node, numpy

A = {"a": numpy.array([[1, 2]], U8)}
HALF = {"h": FLOAT(0.5), "z": U8(0)}
B = {"b": numpy.array([[1, 3], [2, 4]], U8), **HALF}
BIAS, COLUMNS = {"c": numpy.array([1, -1], numpy.int32)}, {"s": numpy.array([0.5, 1], FLOAT), "u": numpy.zeros(2, U8)}


def gemm(inputs):
    return [node("QGemm", inputs, "y", domain="com.microsoft")]


# a b is 5 and 11; a quarter of that, the product of the scales, is 1.25 and 2.75
check(
    ("no bias, codes", numpy.array([[2, 6]], U8), gemm("a h z b h z  h z"), A, B),  # 2.5 and 5.5, ties to even
    ("a bias", numpy.array([[3, 5]], U8), gemm("a h z b h z c h z"), A, {**B, **BIAS}),  # (5 + 1) / 2 and (11 - 1) / 2
    ("a bias, a float output", numpy.array([[1.5, 2.5]], FLOAT), gemm("a h z b h z c"), A, {**B, **BIAS}),
    ("no bias, a float output", numpy.array([[1.25, 2.75]], FLOAT), gemm("a h z b h z"), A, B),
    ("scales of columns", numpy.array([[2, 11]], U8), gemm("a h z b s u  h z"), A, {**B, **COLUMNS}),
)
