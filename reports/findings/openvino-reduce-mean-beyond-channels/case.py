"""OpenVINO's ReduceMean along the last axis between codes is wrong in the rows beyond the number of channels"""
from frames.openvino import check, numpy, run

MEAN = """(uint8[3,2,2] x) => (uint8[3,2,1] y) {
    a = DequantizeLinear(x, one, z)
    b = ReduceMean<axes = [2]>(a)
    y = QuantizeLinear(b, one, w) }"""
parameters = {"one": numpy.float32(1), "z": numpy.uint8(1), "w": numpy.uint8(2)}
x = numpy.array([[[10, 20], [30, 40]], [[50, 60], [70, 80]], [[90, 100], [110, 120]]], numpy.uint8)
want = [16, 36, 56, 76, 96, 116]

check(
    ("without the transformations", want, run(MEAN, x, lpt=False, opset=13, **parameters).ravel()),
    ("with them", want, run(MEAN, x, opset=13, **parameters).ravel()),
)
