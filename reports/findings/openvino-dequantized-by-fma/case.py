"""OpenVINO dequantizes as q*s - RN(z*s)"""
from frames.openvino import check, numpy, run

LEAKY = "(uint16 q) => (float y) { x = DequantizeLinear(q, s, z) y = LeakyRelu<alpha = -2.0>(x) }"
TWICE = "(float[1] x) => (float[1] y) { q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) }"
Q = numpy.array(65535, numpy.uint16)

check(
    ("a code at its zero point", 0, run(LEAKY, Q, s=numpy.float32(4.70876694e-05), z=Q)),
    ("0 quantized and back", [0], run(TWICE, numpy.float32([0]), lpt=False, s=numpy.float32(0.0286234152), z=numpy.uint8(21))),
)
