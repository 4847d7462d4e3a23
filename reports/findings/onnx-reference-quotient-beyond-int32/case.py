"""ReferenceEvaluator wraps quotients of QuantizeLinear beyond int32 instead of saturating"""
from frames.onnx_reference import check, numpy, run

X, ONE = numpy.array([3e9, numpy.inf, -3e9], numpy.float32), numpy.asarray(1, numpy.float32)

check(
    ("uint8, zero point 0", [255, 255, 0], run("QuantizeLinear", [X, ONE, numpy.asarray(0, numpy.uint8)])),
    ("int8, zero point 0", [127, 127, -128], run("QuantizeLinear", [X, ONE, numpy.asarray(0, numpy.int8)])),
    ("int8, zero point -1", [127, 127, -128], run("QuantizeLinear", [X, ONE, numpy.asarray(-1, numpy.int8)])),
)
