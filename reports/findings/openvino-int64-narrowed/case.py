"""int64 becomes int32 in OpenVINO"""
from frames.openvino import check, numpy, run

RESHAPE = "(int64[1] x) => (int64[1, 1] y) { y = Reshape(x, shape) }"
SLICE = "(float[2] x, int64[1] start, int64[1] end) => (float[N] y) { y = Slice(x, start, end) }"
X, SHAPE = numpy.array([-1584008197939200]), numpy.array([1, 1])
GREATEST = numpy.array([numpy.iinfo(numpy.int64).max])

check(
    ("a number beyond int32", [X], run(RESHAPE, X, shape=SHAPE)),
    ("the last element", [2], run(SLICE, numpy.float32([1, 2]), numpy.array([-1]), GREATEST)),
)
