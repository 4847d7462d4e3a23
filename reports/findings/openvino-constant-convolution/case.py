"""OpenVINO: in a convolution of two constants, codes below the zero point wrap"""
from frames.openvino import check, numpy, run

CONV = """() => (uint8[1, 1, 1, 1] y)
{ a = DequantizeLinear(x, one, z) b = DequantizeLinear(w, one, z) c = Conv(a, b) y = QuantizeLinear(c, one) }"""
CODE = numpy.zeros((1, 1, 1, 1), numpy.uint8)

check(("(-1)(-1)", [[[[1]]]], run(CONV, x=CODE, w=CODE, one=numpy.float32(1), z=numpy.uint8(1))))
