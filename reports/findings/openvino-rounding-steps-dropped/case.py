"""OpenVINO leaves out the step through 16-bit codes"""
from frames.openvino import check, numpy, run

STEP = "(float[2] x) => (float[2] y) { q = QuantizeLinear(x, one, zero) r = DequantizeLinear(q, one, zero) y = Add(r, r) }"

check(("0.3 and -5 in steps of uint16", [0, 0], run(STEP, numpy.float32([0.3, -5]), one=numpy.float32(1), zero=numpy.uint16(0))))
