"""TVM gives float32 for com.microsoft's DequantizeLinear of a float16 scale where the model imports an opset of ONNX below 19"""
from frames.tvm import check, numpy, run

X = numpy.array([3], numpy.uint8)
HALF = numpy.float16(0.5)
MODEL = "(uint8[1] x) => (float16[1] y) { y = com.microsoft.DequantizeLinear(x, scale) }"


def bits(opset):
    """The width of the output's type."""
    made = run(MODEL, X, opset=opset, scale=HALF)
    return made if isinstance(made, str) else numpy.array([8 * made.dtype.itemsize])


check(*(("bits of the output's type, opset %d" % opset, [16], bits(opset)) for opset in (13, 21)))
