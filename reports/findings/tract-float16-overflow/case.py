"""tract's sums of float16 overflow before they are complete"""
from frames.tract import check, numpy, run

CONV = "(float16[1, 1, 2] x) => (float16[1, 1, 1] y) { y = Conv(x, w) }"
TRANSPOSED = "(float16[1, 1, 2] x) => (float16[1, 1, 1] y) { y = ConvTranspose<pads = [1, 1]>(x, w) }"
X, W = numpy.float16([[[8, 256]]]), numpy.float16([[[-128, 256]]])
Z, V = numpy.float16([[[256, 8]]]), numpy.float16([[[-256, 256]]])

check(
    ("8 * -128 + 256 * 256", [[[64512]]], run(CONV, X, w=W)),
    ("256 * 256 + 8 * -256", [[[63488]]], run(TRANSPOSED, Z, w=V)),
)
