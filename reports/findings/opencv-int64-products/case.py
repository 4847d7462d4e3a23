"""MatMul of two batches of int64 gives what was in the memory"""
from frames.opencv import check, node, numpy

A = numpy.full((2, 2, 2), 3, numpy.int64)

check(("two batches of 2 by 2", numpy.matmul(A, A), [node("MatMul", "a b", "y")], {"a": A, "b": A}, {}))
