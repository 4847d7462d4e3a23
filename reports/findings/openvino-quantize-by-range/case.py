"""OpenVINO quantizes by the range of the codes: the zero point is added before rounding, and a range that overflows gives one code"""
from frames.openvino import check, ml_dtypes, numpy, run

QUANTIZE = "(%s[1] x) => (%s[1] y) { y = QuantizeLinear(x, s, z) }"
RELU = "(float[4] x) => (int8[4] y) { r = Relu(x) y = QuantizeLinear(r, s, z) }"
HALF, SOME = numpy.float32([0.5]), numpy.float32([-3, -1, 0, 2])
SCALE = numpy.array(1.33e36, ml_dtypes.bfloat16)

check(
    ("round(0.5) + 1", [1], run(QUANTIZE % ("float", "uint8"), HALF, s=numpy.float32(1), z=numpy.uint8(1))),
    ("3 * 1.33e36", [3], run(QUANTIZE % ("bfloat16", "uint16"), numpy.array([3 * SCALE]), s=SCALE, z=numpy.uint16(0))),
    ("(-3, -1, 0, 2) with the scale -0.5", [-128] * 4, run(RELU, SOME, s=numpy.float32(-0.5), z=numpy.int8(-128))),
)
