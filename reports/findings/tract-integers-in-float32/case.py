"""tract squares and resizes int32 and int64 in float32"""
from frames.tract import check, numpy, run

SQUARE = "(int32[1] x) => (int32[1] y) { y = Mul(x, x) }"
RESIZE = "(int32[1] x) => (int32[1] y) { y = Resize(x, , scales) }"
X, Z = numpy.array([40133], numpy.int32), numpy.array([-1045433834], numpy.int32)

check(
    ("40133 * 40133", [1610657689], run(SQUARE, X)),
    ("the nearest element", Z, run(RESIZE, Z, scales=numpy.float32([1]))),
)
