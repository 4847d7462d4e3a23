"""OpenVINO: a dequantized constant that is split and quantized is 0"""
from frames.openvino import check, numpy, run

SPLIT = "() => (float[2] b, int8[2] y) { x = DequantizeLinear(q, s, z) a, b = Split(x, two) y = QuantizeLinear(a, s, z) }"

q, s, z = numpy.int8([2, 4, 6, 8]), numpy.float32(0.5), numpy.int8(2)
check(("the second half of (q - 2) / 2", [2, 3], run(SPLIT, q=q, s=s, z=z, two=numpy.int64([2, 2]))))
