"""OpenVINO does not read precision: quotients of QuantizeLinear are in float32"""
from frames.openvino import check, numpy, run

QUANTIZE = "(float[1] x) => (uint8[1] y) { y = QuantizeLinear%s(x, two, zero) }"
X = numpy.float32([401.1])
PARAMETERS = {"opset": 23, "two": numpy.float16(2), "zero": numpy.uint8(0)}

check(
    ("401 / 2, in the type of the scale", [200], run(QUANTIZE % "", X, **PARAMETERS)),
    ("401 / 2, in float16", [200], run(QUANTIZE % "<precision = 10>", X, **PARAMETERS)),
)
