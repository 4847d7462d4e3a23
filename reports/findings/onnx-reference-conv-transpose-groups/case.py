"""ReferenceEvaluator cuts the weights of a ConvTranspose with groups along the wrong count"""
from frames.onnx_reference import check, numpy, run

X = numpy.ones((1, 4, 1), numpy.float32)

check(
    ("two groups of two channels, one output each", [[[2], [2]]],
     run("ConvTranspose", [X, numpy.ones((4, 1, 1), numpy.float32)], group=2)),
    ("two groups of two channels, two outputs each", [[[2], [2], [2], [2]]],
     run("ConvTranspose", [X, numpy.ones((4, 2, 1), numpy.float32)], group=2)),
)
