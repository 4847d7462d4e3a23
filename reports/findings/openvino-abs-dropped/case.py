"""OpenVINO drops Abs of a constant that is dequantized"""
from frames.openvino import check, numpy, run

ABS = "() => (float[3] y) { x = DequantizeLinear(q, one, z) y = Abs(x) }"

check(("|q - 100|", [99, 98, 97], run(ABS, q=numpy.uint8([1, 2, 3]), one=numpy.float32(1), z=numpy.uint8(100))))
