"""What stands between DequantizeLinear and QuantizeLinear becomes a table of 256 codes, element-wise or not"""
from frames.tract import check, numpy, run

SOFTMAX = """(int8[1, 4] x) => (int8[1, 4] y)
{ a = DequantizeLinear(x, s, zero) b = Softmax(a) y = QuantizeLinear(b, t, zero) }"""
X = numpy.array([[-120, 0, -3, -1]], numpy.int8)
PARAMETERS = {"s": numpy.float32(0.1), "t": numpy.float32(0.0027), "zero": numpy.int8(0)}

check(("Softmax (0, 0.378, 0.280, 0.342) in steps of 0.0027", [[0, 127, 104, 127]], run(SOFTMAX, X, opset=13, **PARAMETERS)))
