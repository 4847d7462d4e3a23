"""OpenVINO adds and subtracts codes in steps of the other operand"""
from frames.openvino import check, numpy, run

SUB = """(uint8[1, 1, 1, 1] q) => (float[1, 1, 1, 1] y, uint8[1, 1, 1, 1] codes)
{ x = DequantizeLinear(q, s) y = Sub(x, w) codes = QuantizeLinear(y, one) }"""
Q, W = numpy.full((1, 1, 1, 1), 83, numpy.uint8), numpy.full((1, 1, 1, 1), 8.375, numpy.float32)

check(("83 * 51/512 - 8.375, which is exact", [[[[-55 / 512]]]], run(SUB, Q, w=W, s=numpy.float32(51 / 512), one=numpy.float32(1))))
