"""OpenVINO cuts off where QuantizeLinear to 16 bits has the scale 1"""
from frames.openvino import check, numpy, run

QUANTIZE = "(float[6] x) => (int16[6] y) { y = QuantizeLinear(x, one, zero) }"
X = numpy.float32([1840.83, 3.7, -3.7, 0.6, 2.5, 3.5])

check(("rounded", [1841, 4, -4, 1, 2, 4], run(QUANTIZE, X, one=numpy.float32(1), zero=numpy.int16(0))))
