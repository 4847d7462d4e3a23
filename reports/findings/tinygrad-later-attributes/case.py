"""tinygrad refuses attributes that QuantizeLinear, DequantizeLinear and Cast have from opset 23 and 25 on"""
from frames.tinygrad import check, constant, dtypes, run, tensor

FLOAT, HALF = 1, 10
X, CODES, ONE, ZERO = tensor([3.0]), tensor([3], dtypes.uint8), constant(0.5), constant(0, dtypes.uint8)

check(
    ("DequantizeLinear-23, output_dtype", [1.5], run("DequantizeLinear", CODES, ONE, ZERO, output_dtype=FLOAT)),
    ("QuantizeLinear-23, precision", [6], run("QuantizeLinear", X, ONE, ZERO, precision=FLOAT)),
    ("Cast-25, round_mode", [3.0], run("Cast", X, to=FLOAT, round_mode="up")),
)
