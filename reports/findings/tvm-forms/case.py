"""Valid forms that TVM's ONNX frontend or its compiler refuses"""
from frames.tvm import check, numpy, run

X = numpy.array([[1, 2], [3, 4]], numpy.float32)
HALVES = numpy.full((2, 1), 0.5, numpy.float32)
CODES = X.astype(numpy.int32)
BOOLS = numpy.array([True, False])
BLOCKED = "(float[2, 2] x) => (uint8[2, 2] y) { y = QuantizeLinear<axis = 1, block_size = 2>(x, scales) }"
OF_INTEGERS = "(int32[2, 2] x) => (uint8[2, 2] y) { y = QuantizeLinear(x, scale) }"
RESHAPE = "(float[2, 2] x, int64[1] shape) => (float[N] y) { y = Reshape(x, shape) }"
POW = "(float[2, 2] x) => (float[2, 2] y) { y = Pow(x, two) }"
EQUAL = "(bool[2] x) => (bool[2] y) { y = Equal(x, x) }"
SLICE = "(float[2, 2] x) => (float[1, 2] y) { y = Slice<starts = [1], ends = [2]>(x) }"

check(
    ("QuantizeLinear of blocks", X * 2, run(BLOCKED, X, scales=HALVES)),
    ("QuantizeLinear of int32", CODES * 2, run(OF_INTEGERS, CODES, opset=13, scale=numpy.float32(0.5))),
    ("Reshape at run time", X.reshape(4), run(RESHAPE, X, numpy.array([4]))),
    ("Pow of float and int64", X * X, run(POW, X, two=numpy.array(2))),
    ("Equal of booleans", [True, True], run(EQUAL, BOOLS)),
    ("Slice of opset 9", X[1:], run(SLICE, X, opset=9)),
)
