"""OpenVINO quantizes every channel with the scale of the first where a model tells no length"""
from frames.openvino import check, numpy, run

MODEL = "(float[N, 2] x) => (uint8[1, 2] y) { p = MatMul(five, x) y = QuantizeLinear<axis = 1>(p, scales) }"
FIVE, SCALES = numpy.float32([[5]]), numpy.float32([1, 0.5])

check(("20 / 0.5", [[0, 40]], run(MODEL, numpy.float32([[0, 4]]), opset=13, lpt=False, five=FIVE, scales=SCALES)))
