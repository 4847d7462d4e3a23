"""OpenVINO computes DynamicQuantizeLinear from the range: x*255 overflows, and the division by 255 is a product"""
from frames.openvino import check, numpy, run

CODES = "(float[2] x) => (uint8[2] y) { y, scale, zero_point = DynamicQuantizeLinear(x) }"
SCALE = "(float[1] x) => (float scale) { y, scale, zero_point = DynamicQuantizeLinear(x) }"

check(
    ("codes of 2e36 and 5e36", [102, 255], run(CODES, numpy.float32([2e36, 5e36]))),
    ("4.46746445 / 255", numpy.float32(4.46746445) / numpy.float32(255), run(SCALE, numpy.float32([-4.46746445]))),
)
