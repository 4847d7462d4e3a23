"""TVM quantizes float16 to 16-bit codes in float16, and gives no infinity of float16"""
from frames.tvm import check, numpy, run

QUANTIZE = "(float16[2] x) => (%s[2] y) { y = QuantizeLinear(x, scale, zero) }"
DEQUANTIZE = "(int8[2] x) => (float16[2] y) { y = DequantizeLinear(x, scale, zero) }"
ONE = numpy.float16(1)


def codes(values, zero):
    return run(QUANTIZE % zero.dtype.name, numpy.array(values, numpy.float16), scale=ONE, zero=zero)


def numbers(values, scale):
    return run(DEQUANTIZE, numpy.array(values, numpy.int8), scale=numpy.float16(scale), zero=numpy.int8(0))


check(
    ("-6260 and 2048, scale 1, zero point 10 of int16", [-6250, 2058], codes([-6260, 2048], numpy.int16(10))),
    ("40000 and -40000 saturate", [32767, -32768], codes([40000, -40000], numpy.int16(0))),
    ("1 and 2 of uint16", [1, 2], codes([1, 2], numpy.uint16(0))),
    ("100 and -100 of scale 1000", [numpy.inf, -numpy.inf], numbers([100, -100], 1000)),
)
