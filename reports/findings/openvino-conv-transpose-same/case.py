"""OpenVINO's ConvTranspose with auto_pad SAME_* gives another shape"""
from frames.openvino import check, numpy, run

SHORT = "(float[1,1,2] x, float[1,1,1] w) => (float[1,1,4] y) { y = ConvTranspose<strides = [2], auto_pad = \"SAME_UPPER\">(x, w) }"
OPEN = "(float[1,1,n] x, float[1,1,3] w) => (float[1,1,m] y) { y = ConvTranspose<auto_pad = \"SAME_UPPER\">(x, w) }"


def row(*x):
    return numpy.array([[x]], numpy.float32)


check(
    ("a kernel shorter than the stride", [3, 0, 6, 0], run(SHORT, row(1, 2), row(3), valid=False).ravel()),
    ("an open length", [3, 6, 5], run(OPEN, row(1, 2, 3), row(1, 1, 1)).ravel()),
)
