"""ReferenceEvaluator has no Clip before opset 6"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([-1, 1, 9], numpy.float32)

check(("opset 1", [0, 1, 6], run("Clip", [X], opset=1, min=0.0, max=6.0)), ("opset 6", [0, 1, 6], run("Clip", [X], opset=6, min=0.0, max=6.0)))
