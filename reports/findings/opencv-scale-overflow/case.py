"""A code times its scale leaves float32 where the answer does not"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = {"a": numpy.array([[1], [0]], U8)}
REST = {"s": FLOAT(2.0**127), "z": U8(0), "b": numpy.array([[1]], U8), "t": FLOAT(1), "u": FLOAT(2.0**121), "v": U8(1)}

check(("3 * 2^127", numpy.array([[193], [1]], U8), [node("QGemm", "a s z b t z  u v", "y", domain="com.microsoft", alpha=3.0)], X, REST))
