"""OpenVINO: codes of a ConvTranspose's filter that are below the zero point wrap"""
from frames.openvino import check, numpy, run

LAYER = """(uint8[1,1,1,2] x) => (uint8[1,1,1,3] y) {
    a = DequantizeLinear(x, one)
    b = DequantizeLinear(w, one, wz)
    c = ConvTranspose(a, b)
    y = QuantizeLinear(c, one, yz) }"""
parameters = {
    "one": numpy.float32(1),
    "w": numpy.uint8([[[[101, 99]]]]),
    "wz": numpy.uint8(100),
    "yz": numpy.uint8(128),
}
x = numpy.uint8([[[[10, 20]]]])

check(
    ("without the transformations", [138, 138, 108], run(LAYER, x, lpt=False, **parameters).ravel()),
    ("with them", [138, 138, 108], run(LAYER, x, **parameters).ravel()),
)
