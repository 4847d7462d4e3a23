"""OpenVINO subtracts int8 by adding the saturated negative"""
from frames.openvino import check, numpy, run

SUB = "(int8[2] a, int8[2] b) => (int8[2] y) { y = Sub(a, b) }"

check(("a + 128", [118, 0], run(SUB, numpy.int8([-10, -128]), numpy.int8([-128, -128]))))
