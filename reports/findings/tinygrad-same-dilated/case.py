"""tinygrad pads for SAME_UPPER and SAME_LOWER as if the kernel were not dilated"""
from frames.tinygrad import check, run, tensor

X = tensor([[[[1.0, 2.0, 3.0, 4.0, 5.0]]]])

check(
    (
        "MaxPool, kernel 3, dilation 2, SAME_UPPER",
        [[[[3.0, 4.0, 5.0, 4.0, 5.0]]]],
        run("MaxPool", X, kernel_shape=[1, 3], dilations=[1, 2], auto_pad="SAME_UPPER"),
    ),
    (
        "MaxPool, kernel 1, stride 2, SAME_UPPER",
        [[[[1.0, 3.0]]]],
        run("MaxPool", tensor([[[[1.0, 2.0, 3.0, 4.0]]]]), kernel_shape=[1, 1], strides=[1, 2], auto_pad="SAME_UPPER"),
    ),
)
