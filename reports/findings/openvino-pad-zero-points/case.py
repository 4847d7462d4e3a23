"""OpenVINO pads the zero point before a Pad between codes, and subtracts that from what is not padded yet"""
from frames.openvino import check, numpy, run

PAD = """(uint8[1,1,1,3] x) => (uint8[1,1,1,3] y) {
    a = DequantizeLinear(x, one, z)
    b = QuantizeLinear(a, one, z)
    c = DequantizeLinear(b, one, z)
    d = Pad(c, pads)
    y = QuantizeLinear(d, one, z) }"""
parameters = {"one": numpy.float32(1), "z": numpy.uint8(1), "pads": numpy.int64([0, 0, 0, 1, 0, 0, 0, -1])}
x = numpy.uint8([3, 1, 2]).reshape(1, 1, 1, 3)

check(
    ("without the transformations", [1, 3, 1], run(PAD, x, lpt=False, **parameters).ravel()),
    ("with them", [1, 3, 1], run(PAD, x, **parameters).ravel()),
)
