"""OpenVINO multiplies by the rounded reciprocal of a constant divisor"""
from frames.openvino import check, numpy, run

FIVE, THREE = numpy.float32([5]), numpy.float32(3)

check(("5 / 3", FIVE / THREE, run("(float[1] x) => (float[1] y) { y = Div(x, three) }", FIVE, three=THREE)))
