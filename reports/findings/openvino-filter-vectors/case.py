"""OpenVINO: the scales and zero points of QLinearConv's filters run along their input channels"""
from frames.openvino import check, numpy, run

CONV = "(uint8[1, 2, 1, 2] x) => (uint8[1, 2, 1, 2] y) { y = QLinearConv(x, one, xz, w, scales, zeros, one, yz) }"
X = numpy.array([[[[12, 7]], [[3, 9]]]], numpy.uint8)
PARAMETERS = {
    "w": numpy.array([[[[6]], [[5]]], [[[2]], [[9]]]], numpy.uint8),
    "scales": numpy.float32([1, 1]),
    "zeros": numpy.array([4, 3], numpy.uint8),
    "one": numpy.float32(1),
    "xz": numpy.uint8(5),
    "yz": numpy.uint8(50),
}

check(("two filters of two channels", [[[[62, 58]], [[31, 72]]]], run(CONV, X, opset=10, **PARAMETERS)))
