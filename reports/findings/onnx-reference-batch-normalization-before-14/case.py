"""ReferenceEvaluator mixes statistics of the batch into BatchNormalization of opset 9 to 13"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([[2], [6]], numpy.float32)
ONE, ZERO = numpy.ones(1, numpy.float32), numpy.zeros(1, numpy.float32)
NODE = "BatchNormalization", [X, ONE, ZERO, ZERO, ONE]

# the given mean is 0 and the given variance 1: (x - 0) / sqrt(1 + 0) * 1 + 0
check(
    ("opset 9, one output", X, run(*NODE, opset=9, epsilon=0.0)),
    ("opset 15", X, run(*NODE, opset=15, epsilon=0.0)),
)
