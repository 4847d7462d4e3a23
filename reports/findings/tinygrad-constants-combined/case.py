"""tinygrad multiplies two constants with each other first"""
from frames.tinygrad import check, constant, dtypes, onnx_ops, run, tensor

THIRD, SEVENTH_TENTHS = constant(1 / 3), constant(0.7)
ZERO = constant(0, dtypes.int8)


def numbers(codes, scale):
    return onnx_ops["DequantizeLinear"](tensor(codes, dtypes.int8), scale, ZERO)


check(
    ("LeakyRelu, alpha 0.1, of -3 * fl(1/3)", [-0.10000000149011612], run("LeakyRelu", numbers([-3], THIRD), alpha=0.1)),
    ("1 * fl(0.7) times 55 * fl(1/3)", [12.833333969116211], run("Mul", numbers([1], SEVENTH_TENTHS), numbers([55], THIRD))),
)
