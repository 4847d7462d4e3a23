"""tract gives outputs of other shapes: pools in ceil_mode, ConvTranspose with output_padding, Slice from before the start"""
from frames.tract import check, numpy, run

POOL = "(float[1, 1, 1] x) => (float[1, 1, N] y) { y = %s<ceil_mode = 1, kernel_shape = [1], pads = [0, %d]>(x) }"
TRANSPOSED = """(float[1, 1, 1, 1] x) => (float[1, 1, N, M] y)
{ y = ConvTranspose<auto_pad = "SAME_LOWER", kernel_shape = [2, 3], output_padding = [0, 1], strides = [1, 2]>(x, w) }"""
SLICE = "(float[1, 1] x) => (float[N, M] y) { y = Slice(x, start, end, axes, step) }"
X, ONES = numpy.ones((1, 1, 1), numpy.float32), numpy.ones((1, 1, 2, 3), numpy.float32)
STEPS = {"start": [-2], "end": [numpy.iinfo(numpy.int64).min], "axes": [1], "step": [-1]}
MAXIMUM = run(POOL % ("MaxPool", 1), X, opset=10)

check(
    ("the shape of MaxPool-10, with a window in the padding", [1, 1, 2], numpy.array(MAXIMUM.shape)),
    ("AveragePool-22", X, run(POOL % ("AveragePool", 2), X, opset=22)),
    ("ConvTranspose", [[[[1, 1]]]], run(TRANSPOSED, X[None], opset=22, w=ONES)),
    ("Slice", [[1]], run(SLICE, X[0], **{name: numpy.array(x) for name, x in STEPS.items()})),
)
