"""OpenVINO does not read saturate, and takes NaN for a number, when it makes float8"""
from frames.openvino import check, ml_dtypes, numpy, run

QUANTIZE = "(float[1] x) => (float[1] y) { q = QuantizeLinear%s(x, two, zero) y = DequantizeLinear(q, two, zero) }"
CAST = "(float[1] x) => (float8e4m3fn[1] y) { y = Cast<saturate = 1, to = 17>(x) }"
NAN, GREAT = numpy.float32([numpy.nan]), numpy.float32([1000])
PARAMETERS = {"two": numpy.float32(2), "zero": numpy.array(0, ml_dtypes.float8_e4m3fn)}

check(
    ("NaN to float8e4m3fn in steps of 2", NAN, run(QUANTIZE % "", NAN, **PARAMETERS)),
    ("1000 so, with saturate = 0", NAN, run(QUANTIZE % "<saturate = 0>", GREAT, **PARAMETERS)),
    ("1000 cast to float8e4m3fn, with saturate = 1", [448], run(CAST, GREAT)),
)
