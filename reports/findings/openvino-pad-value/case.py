"""OpenVINO pads with 0 where the value is known at run time, and with a float32 of an integer"""
from frames.openvino import check, numpy, run

GIVEN = "(uint8[3] x, uint8 v) => (uint8[4] y) { y = Pad(x, pads, v) }"
CONSTANT = "(int32[2] x) => (int32[3] y) { y = Pad(x, pads, v) }"
pads = numpy.int64([1, 0])

check(
    ("77 before 1, 2, 3", [77, 1, 2, 3], run(GIVEN, numpy.uint8([1, 2, 3]), numpy.array(77, numpy.uint8), pads=pads)),
    ("2^24 + 1 before 1, 2", [16777217, 1, 2], run(CONSTANT, numpy.int32([1, 2]), pads=pads, v=numpy.int32(16777217))),
)
