"""ReferenceEvaluator leaves dilations out of AveragePool's auto_pad"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([[[1, 2, 4, 8, 16]]], numpy.float32)
DILATED = {"kernel_shape": [2], "dilations": [2]}

check(
    ("VALID, dilations 2", [[[2.5, 5, 10]]], run("AveragePool", [X], opset=22, auto_pad="VALID", **DILATED)),
    # two elements of padding, one at each end: x[-1] and x[1], x[0] and x[2], …
    ("SAME_UPPER, dilations 2", [[[2, 2.5, 5, 10, 8]]], run("AveragePool", [X], opset=22, auto_pad="SAME_UPPER", **DILATED)),
)
