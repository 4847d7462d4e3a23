"""TVM's MaxPool starts at the lowest finite number"""
from frames.tvm import check, numpy, run

POOL = "(float[1, 1, 2] x) => (float[1, 1, 2] y) { y = MaxPool<kernel_shape = [1]>(x) }"
X = numpy.array([[[-numpy.inf, 1]]], numpy.float32)

check(("the maximum of -inf, and of 1", X, run(POOL, X)))
