"""ReferenceEvaluator takes Softmax before opset 13 along one axis"""
from frames.onnx_reference import check, numpy, run

ZEROS = numpy.zeros((1, 1, 2), numpy.float32)

check(
    ("opset 11, axis 1: of two elements", [[[0.5, 0.5]]], run("Softmax", [ZEROS], opset=11, axis=1)),
    ("opset 13, axis 1: of one", [[[1, 1]]], run("Softmax", [ZEROS], opset=13, axis=1)),
)
