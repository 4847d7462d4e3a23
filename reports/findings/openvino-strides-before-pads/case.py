"""OpenVINO takes the strides of a 1x1 convolution before its padding"""
from frames.openvino import check, numpy, run

CONV = "(float[1,1,6] x, float[1,1,1] w) => (float[1,1,4] y) { a = Relu(x) y = Conv<strides = [2], pads = [1, 1]>(a, w) }"
x = numpy.arange(1, 7, dtype=numpy.float32).reshape(1, 1, 6)

check(("pads, then strides", [0, 4, 8, 12], run(CONV, x, numpy.full((1, 1, 1), 2, numpy.float32)).ravel()))
