"""OpenVINO drops two casts in a row, and rounds a cast to four bits away from zero"""
from frames.openvino import check, numpy, run

TWICE = "(float[1] x) => (float[1] y) { h = Cast<to = 10>(x) y = Cast<to = 1>(h) }"
TO_INT4 = "(float[2] x) => (int8[2] y) { c = Cast<to = 22>(x) y = Cast<to = 3>(c) }"

check(
    ("2049 to float16 and back", [2048], run(TWICE, numpy.float32([2049]))),
    ("-6.5 and 4.5 to int4", [-6, 4], run(TO_INT4, numpy.float32([-6.5, 4.5]))),
)
