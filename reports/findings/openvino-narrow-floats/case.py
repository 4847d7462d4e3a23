"""OpenVINO cuts results to bfloat16, and rounds zero points times scales to float16"""
from frames.openvino import check, ml_dtypes, numpy, run

SQUARE = "() => (bfloat16[1] y) { y = Mul(a, a) }"
DEQUANTIZE = "(uint8[1] x) => (float16[1] y) { y = DequantizeLinear(x, s, z) }"
ONE = numpy.array([1], numpy.uint8)

check(
    ("9.668212890625 in bfloat16", [9.6875], run(SQUARE, a=numpy.array([-3.109375], ml_dtypes.bfloat16))),
    ("-28.81995 in float16", [-28.8125], run(DEQUANTIZE, ONE, s=numpy.float16(0.113464355), z=numpy.uint8(255))),
)
