"""tinygrad's QuantizeLinear adds 0.4999999 and cuts off where the codes are uint8"""
from frames.tinygrad import check, constant, dtypes, run, tensor

ONE = constant(1.0)


def codes(numbers, zero_point):
    return run("QuantizeLinear", tensor(numbers), ONE, zero_point)


check(
    ("0.5, 1.5, 2.5, 3.5, zero point 0", [0, 2, 2, 4], codes([0.5, 1.5, 2.5, 3.5], constant(0, dtypes.uint8))),
    ("0.5, -1.5, zero point 3, a constant", [3, 1], codes([0.5, -1.5], constant(3, dtypes.uint8))),
    ("0.5, -1.5, zero point 3, at run time", [3, 1], codes([0.5, -1.5], tensor([3], dtypes.uint8))),
    ("2.5, zero point 0 of int8", [2], codes([2.5], constant(0, dtypes.int8))),
)
