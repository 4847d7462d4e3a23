"""TVM's pools with SAME_UPPER and SAME_LOWER: shapes and places"""
from frames.tvm import check, numpy, run

POOL = "(float[1, 1, 5] x) => (float[1, 1, N] y) { y = %s(x) }"
X = numpy.arange(5, dtype=numpy.float32).reshape(1, 1, 5)


def pool(node):
    return run(POOL % node, X)


check(
    ("SAME_LOWER, kernel 3, stride 2", [[[1, 3, 4]]], pool('MaxPool<kernel_shape = [3], strides = [2], auto_pad = "SAME_LOWER">')),
    ("SAME_UPPER, kernel 1, stride 3", [[[0, 3]]], pool('MaxPool<kernel_shape = [1], strides = [3], auto_pad = "SAME_UPPER">')),
    ("SAME_UPPER, kernel 2, dilation 2", [[[1, 1, 2, 3, 3]]], pool('AveragePool<kernel_shape = [2], dilations = [2], auto_pad = "SAME_UPPER">')),
)
