"""ReferenceEvaluator lines up vectors for the filters of a convolution for two dimensions only"""
from frames.onnx_reference import check, numpy, run

ONE, ZERO = numpy.float32(1), numpy.uint8(0)
SCALES, ZEROS = numpy.array([1, 2], numpy.float32), numpy.zeros(2, numpy.uint8)


def qlinear_conv(*spatial):
    x = numpy.ones((1, 1, *spatial), numpy.uint8)
    w = numpy.ones((2, 1, *(1 for _ in spatial)), numpy.uint8)
    y = numpy.ones((1, 2, *spatial), numpy.uint8)
    y[:, 1] = 2
    return y, run("QLinearConv", [x, numpy.asarray(ONE), numpy.asarray(ZERO), w, SCALES, ZEROS, numpy.asarray(ONE), numpy.asarray(ZERO)])


def conv_integer(*spatial):
    x = numpy.ones((1, 2, *spatial), numpy.uint8)
    w = numpy.full((2, 2, *(1 for _ in spatial)), 5, numpy.uint8)
    y = numpy.full((1, 2, *spatial), 8, numpy.int32)
    y[:, 1] = 4
    return y, run("ConvInteger", [x, w, numpy.asarray(ZERO), numpy.array([1, 3], numpy.uint8)])


check(
    ("QLinearConv in one dimension", *qlinear_conv(3)),
    ("QLinearConv in two dimensions", *qlinear_conv(1, 3)),
    ("QLinearConv in three dimensions, 2 deep", *qlinear_conv(2, 1, 1)),
    ("QLinearConv in three dimensions, 3 deep", *qlinear_conv(3, 1, 1)),
    ("ConvInteger in one dimension", *conv_integer(3)),
    ("ConvInteger in two dimensions", *conv_integer(1, 3)),
    ("ConvInteger in three dimensions", *conv_integer(1, 1, 3)),
)
