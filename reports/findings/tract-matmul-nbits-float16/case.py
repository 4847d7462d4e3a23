"""tract: float16 inside MatMulNBits"""
from frames.tract import check, numpy, run

PRODUCT = """(%s[1, 32] a) => (%s[1, 1] y)
{ y = com.microsoft.MatMulNBits<K = 32, N = 1, bits = 4, block_size = %d>(a, b, s, , , bias) }"""
A, CODES = numpy.eye(1, 32, dtype=numpy.float32), numpy.full((1, 2, 8), 0x99, numpy.uint8)  # each code is 9, less 8
SCALE, NONE = numpy.float32([[0.0323638916]]), numpy.float32([0])
SUM, ONES, BIAS = A.astype(numpy.float16), numpy.ones((1, 2), numpy.float16), numpy.float16([-1])
SUM[0, 1] = 2.0**-11

WIDE = run(PRODUCT % ("float", "float", 32), A, b=CODES.reshape(1, 1, 16), s=SCALE, bias=NONE)
NARROW = run(PRODUCT % ("float16", "float16", 16), SUM, b=CODES, s=ONES, bias=BIAS)
check(("1 * 0.0323638916 in float32", SCALE, WIDE), ("1 + 2^-11 - 1 in float16", [[2.0**-11]], NARROW))
