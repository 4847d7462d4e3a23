"""Valid forms that ReferenceEvaluator refuses"""
import ml_dtypes

from frames.onnx_reference import check, numpy, run

X = numpy.array([[1, 2], [3, 4]], numpy.float32)
NONE, TWICE = numpy.zeros(0, numpy.float32), numpy.array([2], numpy.float32)
INT4 = 22  # ONNX's number of the type
POOL = {"kernel_shape": [2], "auto_pad": "VALID", "ceil_mode": 1, "strides": [2]}

check(
    ("1 Pad, pads of -1", [[2], [4]], run("Pad", [X, numpy.array([0, -1, 0, 0])])),
    ("2 Resize, axis -1", [[1, 1, 2, 2], [3, 3, 4, 4]], run("Resize", [X, NONE, TWICE], axes=[-1], mode="nearest")),
    ("3 Resize of booleans", [True, True], run("Resize", [numpy.array([True]), NONE, TWICE], mode="nearest")),
    ("4 AveragePool, ceil_mode together with auto_pad", [[[1.5, 3.5]]], run("AveragePool", [X.reshape(1, 1, 4)], opset=22, **POOL)),
    ("5 Cast of a scalar of uint4 to int4", 3, run("Cast", [numpy.array(3, ml_dtypes.uint4)], to=INT4)),
    ("6 Flatten of a batch of 0", numpy.zeros((0, 6)), run("Flatten", [numpy.zeros((0, 2, 3), numpy.float32)])),
)
