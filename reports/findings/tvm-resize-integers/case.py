"""TVM resizes int32 and int64 in float32"""
from frames.tvm import check, numpy, run

MODEL = "(int64[1, 1, 1] x) => (int64[1, 1, 1] y) { y = Resize<mode = 'nearest'>(x, , scales) }".replace("'", '"')
INT32 = MODEL.replace("int64", "int32")
ONE = numpy.ones(3, numpy.float32)

check(
    ("int64, nearest, scale 1", [[[16777217]]], run(MODEL, numpy.array([[[16777217]]], numpy.int64), scales=ONE)),
    ("int32, nearest, scale 1", [[[16777217]]], run(INT32, numpy.array([[[16777217]]], numpy.int32), scales=ONE)),
)
