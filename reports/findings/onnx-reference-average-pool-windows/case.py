"""ReferenceEvaluator fails on AveragePool windows that are to be ignored"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([[[1, 2, 4, 8, 16, 32]]], numpy.float32)

# a fourth window would start after the six elements
check(("ceil_mode, pads 0 and 2", [[[1.5, 6, 24]]],
       run("AveragePool", [X], opset=22, kernel_shape=[2], strides=[2], pads=[0, 2], ceil_mode=1)))
