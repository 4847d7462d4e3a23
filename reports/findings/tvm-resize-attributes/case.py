"""TVM's Resize reads neither keep_aspect_ratio_policy nor a scale of the channels"""
from frames.tvm import check, numpy, run

CHANNELS = '(float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y) { y = Resize<mode = "nearest">(x, , scales) }'
POLICY = """(float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y) {
    y = Resize<mode = "nearest", keep_aspect_ratio_policy = "not_larger">(x, , , sizes)
}"""
X = numpy.arange(4, dtype=numpy.float32).reshape(1, 1, 2, 2)

check(
    ("channels by 2", numpy.concatenate([X, X], 1), run(CHANNELS, X, scales=numpy.array([1, 2, 1, 1], numpy.float32))),
    ("not larger than [1, 1, 2, 4]", X, run(POLICY, X, sizes=numpy.array([1, 1, 2, 4]))),
)
