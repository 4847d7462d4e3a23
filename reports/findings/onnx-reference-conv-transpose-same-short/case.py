"""ReferenceEvaluator's ConvTranspose puts the odd element of a negative padding at the beginning for SAME_UPPER"""
from frames.onnx_reference import check, numpy, run

X, W = numpy.array([[[1, 2]]], numpy.float32), numpy.array([[[1]]], numpy.float32)

# 2 (2 - 1) + 1 = 3 elements, 1 0 2, and 4 are wanted: a total padding of -1, at the end for SAME_UPPER
check(
    ("SAME_UPPER", [[[1, 0, 2, 0]]], run("ConvTranspose", [X, W], opset=22, strides=[2], auto_pad="SAME_UPPER")),
    ("SAME_LOWER", [[[0, 1, 0, 2]]], run("ConvTranspose", [X, W], opset=22, strides=[2], auto_pad="SAME_LOWER")),
)
