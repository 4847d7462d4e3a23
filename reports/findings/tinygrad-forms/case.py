"""Valid forms of Resize, Slice, Pad, pools and blocks that tinygrad refuses, or gives another shape"""
from frames.tinygrad import check, constant, dtypes, run, tensor

U8 = dtypes.uint8
SCALES, ZEROS = tensor([[1.0], [1.0]]), tensor([[0], [0]], U8)

check(
    ("Resize of a matrix", [[1, 1], [3, 3]], run("Resize", tensor([[1], [3]], U8), None, [1.0, 2.0], mode="nearest")),
    ("Slice from -2 of one element, backwards", [7], run("Slice", tensor([7], U8), [-2], [-9], [0], [-1])),
    (
        "QuantizeLinear, 3 rows in blocks of 2",
        [[1], [2], [3]],
        run("QuantizeLinear", tensor([[1.0], [2.0], [3.0]]), SCALES, ZEROS, axis=0, block_size=2),
    ),
    (
        "MaxPool of one element, kernel 1, pads 1 and 1, ceil_mode: a padding's maximum is the least number",
        [[[-128, 7, -128]]],
        run("MaxPool", tensor([[[7]]], dtypes.int8), kernel_shape=[1], pads=[1, 1], ceil_mode=1),
    ),
    (
        "Pad of one element, mode wrap, two before it",
        [7, 7, 7],
        run("Pad", tensor([7], dtypes.int8), [2, 0], mode="wrap"),
    ),
    ("QuantizeLinear of a constant -inf", 0, run("QuantizeLinear", constant(float("-inf")), constant(0.5), constant(3, U8))),
)
