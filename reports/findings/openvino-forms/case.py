"""Valid quantized models that OpenVINO refuses, or gives another shape"""
from frames.openvino import check, numpy, run

ONE, ZERO = numpy.float32(1), numpy.uint8(0)
ROWS, ZEROS = numpy.float32([1, 2]), numpy.zeros(2, numpy.uint8)
CODES = numpy.array([[1, 2], [3, 4]], numpy.uint8)
EIGHT = numpy.arange(8, dtype=numpy.uint8)
MATMUL = "(uint8[2, 2] a, uint8[2, 2] b) => (uint8[2, 2] y) { y = QLinearMatMul(a, rows, zeros, b, one, zero, one, zero) }"
INTEGER = "(uint8[2, 2] a, uint8[2, 2] b) => (int32[2, 2] y) { y = MatMulInteger(a, b, , zero) }"
BLOCKS = "(uint8[8] x) => (float[8] y) { y = DequantizeLinear<axis = 0, block_size = 4>(x, rows) }"
LEAKY = "(uint8[2, 2] x) => (uint8[2, 2] y) { y = com.microsoft.QLinearLeakyRelu<alpha = 0.5>(x, one, zero, one) }"
VECTOR = "(uint8[2] a, uint8[2] b) => (int32 y) { y = MatMulInteger(a, b) }"
POOL = "(float[1, 1, 2] x) => (float[1, 1, 1] y) { y = MaxPool<ceil_mode = 1, kernel_shape = [2], pads = [0, 1], strides = [2]>(x) }"

check(
    ("QLinearMatMul with a scale for each row", [[7, 10], [30, 44]], run(MATMUL, CODES, CODES, rows=ROWS, zeros=ZEROS, one=ONE, zero=ZERO)),
    ("MatMulInteger with b's zero point alone", CODES @ CODES, run(INTEGER, CODES, CODES, zero=ZERO)),
    ("a vector in blocks", [0, 1, 2, 3, 8, 10, 12, 14], run(BLOCKS, EIGHT, rows=ROWS)),
    ("QLinearLeakyRelu without the last zero point", CODES, run(LEAKY, CODES, one=ONE, zero=ZERO)),
    ("MatMulInteger of vectors", 25, run(VECTOR, CODES[1], CODES[1])),
    ("MaxPool without a window in the padding", [[[1]]], run(POOL, numpy.ones((1, 1, 2), numpy.float32), opset=22)),
)
