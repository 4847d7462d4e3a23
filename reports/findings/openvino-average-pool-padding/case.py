"""OpenVINO counts the padding of an AveragePool between codes as the code 0"""
from frames.openvino import check, numpy, run

POOL = """(uint8[1,1,1,4] x) => (uint8[1,1,1,3] y) {
    a = DequantizeLinear(x, one, z)
    b = AveragePool<kernel_shape = [1, 2], strides = [1, 2], pads = [0, 1, 0, 1], count_include_pad = 1>(a)
    y = QuantizeLinear(b, half, z) }"""
parameters = {"one": numpy.float32(1), "half": numpy.float32(0.5), "z": numpy.uint8(100)}
x = numpy.full((1, 1, 1, 4), 101, numpy.uint8)

check(
    ("without the transformations", [101, 102, 101], run(POOL, x, lpt=False, **parameters).ravel()),
    ("with them", [101, 102, 101], run(POOL, x, **parameters).ravel()),
)
