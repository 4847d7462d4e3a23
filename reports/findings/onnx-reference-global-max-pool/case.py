"""ReferenceEvaluator takes GlobalMaxPool over the wrong axes, unless there are two dimensions"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([[[1, 2, 3], [6, 5, 4]]], numpy.float32)

check(
    ("one dimension", [[[3], [6]]], run("GlobalMaxPool", [X])),
    ("three dimensions", [[[[[3]]], [[[6]]]]], run("GlobalMaxPool", [X.reshape(1, 2, 3, 1, 1)])),
)
