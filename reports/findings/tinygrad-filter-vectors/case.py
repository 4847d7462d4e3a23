"""tinygrad's QLinearConv has two dimensions only, and ConvInteger's zero points of filters run along the last one"""
from frames.tinygrad import check, constant, dtypes, run, tensor

U8 = dtypes.uint8
ONE, ZERO = constant(1.0), constant(0, U8)


def convolve(x, w, w_scale):
    return run("QLinearConv", tensor(x, U8), ONE, ZERO, tensor(w, U8), w_scale, ZERO, ONE, ZERO)


check(
    ("one axis", [[[3, 6]]], convolve([[[1, 2]]], [[[3]]], ONE)),
    ("two axes, scales 1 and 2", [[[[1]], [[2]]]], convolve([[[[1]]]], [[[[1]]], [[[1]]]], tensor([1.0, 2.0]))),
    (
        "three axes, scales 1 and 2",
        [[[[[1]], [[1]]], [[[2]], [[2]]]]],
        convolve([[[[[1]], [[1]]]]], [[[[[1]]]], [[[[1]]]]], tensor([1.0, 2.0])),
    ),
    (
        "ConvInteger, zero points 0 and 1",
        [[[[2]], [[0]]]],
        run("ConvInteger", tensor([[[[1, 1]]]], U8), tensor([[[[1, 1]]], [[[1, 1]]]], U8), ZERO, tensor([0, 1], U8)),
    ),
)
