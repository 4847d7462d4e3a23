"""ReferenceEvaluator divides in the wider type where QuantizeLinear has no precision"""
from frames.onnx_reference import check, numpy, run

X, TWO = numpy.array([401.1], numpy.float32), numpy.asarray(2, numpy.float16)
ZERO = numpy.asarray(0, numpy.uint8)

check(
    ("401.1 (float32) by 2 (float16), precision float16", [200], run("QuantizeLinear", [X, TWO, ZERO], 23, precision=10)),
    ("401.1 (float32) by 2 (float16)", [200], run("QuantizeLinear", [X, TWO, ZERO], 23)),
)
