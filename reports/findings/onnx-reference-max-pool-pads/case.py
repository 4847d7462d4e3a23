"""ReferenceEvaluator takes the pads of MaxPool in another order, needs four, and has no codes in padding"""
from frames.onnx_reference import check, numpy, run

X = numpy.arange(1, 5, dtype=numpy.float32)

check(
    ("pads [1, 1, 0, 0]", [[[[1, 2], [3, 4]]]], run("MaxPool", [X.reshape(1, 1, 2, 2)], kernel_shape=[2, 2], pads=[1, 1, 0, 0])),
    ("one dimension, pads [0, 1]", [[[2, 3, 4, 4]]], run("MaxPool", [X.reshape(1, 1, 4)], kernel_shape=[2], pads=[0, 1])),
    ("int8, pads 1", [[[[1, 2, 2], [3, 4, 4], [3, 4, 4]]]],
     run("MaxPool", [X.astype(numpy.int8).reshape(1, 1, 2, 2)], kernel_shape=[2, 2], pads=[1, 1, 1, 1])),
)
