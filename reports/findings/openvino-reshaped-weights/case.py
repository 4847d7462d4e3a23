"""OpenVINO: scales of constant weights that a Reshape turns into a matrix run along the wrong axis"""
from frames.openvino import check, ml_dtypes, numpy, run

MODEL = """(uint8[1, 4] x) => (uint8[1, 2] y) {
    a = DequantizeLinear(x, one, zero)
    b = DequantizeLinear<axis = 1>(w, scales, zeros)
    c = Reshape(b, shape)
    d = MatMul(a, c)
    y = QuantizeLinear(d, one, zero)
}"""
X = numpy.array([[0, 1, 0, 0]], numpy.uint8)
PARAMETERS = {
    "one": numpy.float32(1),
    "zero": numpy.uint8(0),
    "w": numpy.ones((2, 2, 2), ml_dtypes.uint4),
    "scales": numpy.float32([1, 2]),
    "zeros": numpy.zeros(2, ml_dtypes.uint4),
    "shape": numpy.array([4, 2]),
}

check(("row 1, whose scale is 2", [[2, 2]], run(MODEL, X, **PARAMETERS)))
