"""Valid quantized models that tract refuses, or gives another type or shape"""
from frames.tract import check, numpy, run

X, CODES = numpy.float32([[1, 2], [3, 4]]), numpy.array([[1, 2], [3, 4]], numpy.uint8)
ONE, HALF, FLAGS = numpy.float32(1), numpy.float16(0.5), numpy.array([True, False])
WORDS = "(float[2, 2] x) => (uint16[2, 2] y) { y = QuantizeLinear(x, one, zero) }"
SCALE = "(float16[2, 2] x) => (uint8[2, 2] y) { y = QuantizeLinear(x, half, zero) }"
TYPE = "(float[1] x) => (int8[1] y) { y = QuantizeLinear<output_dtype = 3>(x, one) }"
INTEGER = "(uint8[2] a, uint8[2] b) => (int32 y) { y = MatMulInteger(a, b) }"
CAST = "(float[2, 2] x) => (int64[2, 2] y) { y = Cast<to = 7>(x) }"
WRAP = '(float[2, 2] x) => (float[2, 3] y) { y = Pad<mode = "wrap">(x, pads) }'
EQUAL = "(bool[2] x) => (bool[2] y) { y = Equal(x, x) }"

check(
    ("QuantizeLinear to uint16", X, run(WORDS, X, one=ONE, zero=numpy.uint16(0))),
    ("QuantizeLinear of float16", 2 * CODES, run(SCALE, X.astype(numpy.float16), half=HALF, zero=numpy.uint8(0))),
    ("QuantizeLinear of -1 with output_dtype int8", [-1], run(TYPE, numpy.float32([-1]), one=ONE)),
    ("MatMulInteger of vectors", 25, run(INTEGER, CODES[1], CODES[1])),
    ("Cast to int64", X, run(CAST, X)),
    ("Pad with mode wrap", [[1, 2, 1], [3, 4, 3]], run(WRAP, X, pads=numpy.array([0, 0, 0, 1]))),
    ("Equal of booleans", [True, True], run(EQUAL, FLAGS)),
)
