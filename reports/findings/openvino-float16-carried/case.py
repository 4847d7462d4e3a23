"""OpenVINO doubles a small float32 that rounds up to a power of two when it becomes float16"""
from frames.openvino import check, ml_dtypes, numpy, run

QUANTIZE = "(float[2] x) => (float8e5m2[2] y) { y = QuantizeLinear(x, one, zero) }"
X = numpy.float32([float.fromhex("0x1.fffp-17"), float.fromhex("0x1.fffp-16")])
PARAMETERS = {"one": numpy.float32(1), "zero": numpy.array(0, ml_dtypes.float8_e5m2)}

check(("to float8e5m2", [2**-16, 2**-15], run(QUANTIZE, X, **PARAMETERS)))
