"""OpenVINO: beta = 0 of HardSigmoid counts as 0.5"""
from frames.openvino import check, numpy, run

SIGMOID = "(float[3] x) => (float[3] y) { y = HardSigmoid<alpha = 0.5, beta = 0.0>(x) }"

check(("x / 2", [0.125, 0.25, 0.5], run(SIGMOID, numpy.float32([0.25, 0.5, 1]))))
