"""A convolution in groups of filters that are no whole blocks of eight writes the second group over the first"""
from frames.opencv import FLOAT, S8, check, node, numpy

GROUPS, FILTERS, CHANNELS = 2, 9, 8  # filters and channels of a group

filters = numpy.zeros((GROUPS * FILTERS, CHANNELS, 1, 1), S8)
filters[:, 0, 0, 0] = 1 + numpy.arange(GROUPS * FILTERS)  # the first channel of the group times the filter's number
image = numpy.zeros((1, GROUPS * CHANNELS, 1, 8), S8)  # eight positions: opencv-vnni-tail is another bug
image[:, ::CHANNELS] = 2
last = numpy.array(2 * (1 + numpy.arange(8, 18)), numpy.float32).reshape(1, 10, 1, 1)

check(
    (
        "filters 9 to 18",
        last,
        [node("QLinearConv", "x s z w s z s z", "codes", group=GROUPS, kernel_shape=[1, 1]), node("DequantizeLinear", "codes s z", "real"), node("Slice", "real from to axes", "y")],
        {"x": image},
        {
            "s": FLOAT(1),
            "z": S8(0),
            "w": filters,
            "from": numpy.array([8, 0], numpy.int64),
            "to": numpy.array([18, 1], numpy.int64),
            "axes": numpy.array([1, 3], numpy.int64),
        },
    ),
)
