"""OpenVINO computes QLinearLeakyRelu as max(x, alpha*x)"""
from frames.openvino import check, numpy, run

LEAKY = "(int8[1] x) => (int8[1] y) { y = com.microsoft.QLinearLeakyRelu<alpha = 3.0>(x, two, z, four, zero) }"
X = numpy.array([93], numpy.int8)
PARAMETERS = {"two": numpy.float32(2), "z": numpy.int8(25), "four": numpy.float32(4), "zero": numpy.int8(0)}

check(("2 * (93 - 25) / 4", [34], run(LEAKY, X, **PARAMETERS)))
