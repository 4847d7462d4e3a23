"""Models that end the process of OpenVINO"""
from frames.openvino import check, ml_dtypes, model, numpy, run, runs

CONV = "(float[1, 1, 1, 1] x) => (float[1, 1, 1, 1] y) { y = Conv(x) }"
PRODUCT = "(float[5, 4] x) => (float[5, 2] y) { b = DequantizeLinear<axis = 0>(w, scales) y = MatMul(x, b) }"
CONCAT = """(float[1, 1, 1, 1] x) => (uint8[2, 1, 1, 1] y)
{ c = Concat<axis = 0>(w, x) q = QuantizeLinear(c, one) r = DequantizeLinear(q, one, z) y = QuantizeLinear(r, one) }"""
TILE = "(float x, int64[0] repeats) => (float y) { y = Tile(x, repeats) }"
EXPAND = "(uint8[1, 3] x) => (uint8[N, M] y) { y = Expand(x, shape) }"
BROADCAST = "(uint8[1, 0, 3] x) => (uint8[2, 0, 3] y) <int64[3] shape = {2, 0, 3}> { y = Expand(x, shape) }"
NONE = numpy.zeros(0, numpy.uint8)
X, ONE, CODES = numpy.zeros((1, 1, 1, 1), numpy.float32), numpy.float32(1), numpy.array([[1, 2, 3]], numpy.uint8)
WEIGHTS = {"w": numpy.zeros((4, 2), ml_dtypes.int4), "scales": numpy.ones(4, numpy.float32)}
EXPANDED = [model(EXPAND, CODES, valid=False, opset=13, shape=numpy.array([rows, 3])) for rows in (-1, 2)] * 3

REFUSED = str(run(CONV, X, valid=False)).startswith("RuntimeError")
check(
    ("Conv of one operand is refused", True, numpy.array(REFUSED)),
    ("weights of 4 bits, scales by row", numpy.zeros((5, 2)), run(PRODUCT, numpy.zeros((5, 4), numpy.float32), **WEIGHTS)),
    ("Concat", numpy.zeros((2, 1, 1, 1)), run(CONCAT, X, opset=13, w=X, one=ONE, z=numpy.uint8(1))),
    ("Tile of a scalar", 5, run(TILE, numpy.array(5, numpy.float32), numpy.array([], numpy.int64))),
    ("Expand of codes without elements", NONE.reshape(2, 0, 3), run(BROADCAST, NONE.reshape(1, 0, 3))),
    ("Expand after an invalid one", numpy.repeat(CODES, 2, 0), runs(EXPANDED)),
)
