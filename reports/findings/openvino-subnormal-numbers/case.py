"""OpenVINO takes subnormal numbers for 0"""
from frames.openvino import check, numpy, run

DEQUANTIZE = "(int32[2, 1] x) => (float[2, 1] y) { y = DequantizeLinear<axis = 0>(x, scales) }"
X = numpy.full((2, 1), -(2**31), numpy.int32)

check(("-2^31 * 2^-148 and -2^31", [[-(2.0**-117)], [-(2.0**31)]], run(DEQUANTIZE, X, scales=numpy.float32([2.0**-148, 1]))))
