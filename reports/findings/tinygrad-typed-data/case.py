"""tinygrad reads float16 in int32_data as integers"""
from frames.tinygrad import check, dtypes, tensor
from frames.tinygrad_model import HALF, U8, field, initializer, model, run_model, varint

X = {"x": tensor([3.0], dtypes.float16)}
ZERO = initializer("z", U8, [], field(9, b"\0"))


def quantized(data):
    """3 by the scale 0.5, whose bits are 0x3800."""
    return run_model(model("QuantizeLinear", 19, "x s z", {"x": (HALF, [1])}, (U8, [1]), [initializer("s", HALF, [], data), ZERO]), X)


check(("a scale in int32_data", [6], quantized(field(5, varint(0x3800)))), ("a scale in raw_data", [6], quantized(field(9, b"\0\x38"))))
