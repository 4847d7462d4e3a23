"""tract: negative pads end the process, and mode edge pads with a constant"""
from frames.tract import check, numpy, run

CROP = "(float[3] x) => (float[2] y) { y = Pad(x, pads) }"
EDGE = '(float[1] x) => (float[2] y) { y = Pad<mode = "edge">(x, pads, one, axes) }'
PARAMETERS = {"pads": numpy.array([0, 1]), "one": numpy.float32(1), "axes": numpy.array([0])}

check(
    ("without the last element", [1, 2], run(CROP, numpy.float32([1, 2, 3]), pads=numpy.array([0, -1]))),
    ("the last element again", [0, 0], run(EDGE, numpy.float32([0]), **PARAMETERS)),
)
