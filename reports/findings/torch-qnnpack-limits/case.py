"""QNNPACK refuses subnormal scales, windows of one element, and a Relu at the greatest zero point"""
from frames.torch import check, codes, have, torch

torch.backends.quantized.engine = "qnnpack"
TINY = 2.0**-140

check(
    ("a subnormal scale", [13], have(lambda: torch.ops.quantized.add(codes([3], TINY, 0), codes([0], TINY, 0), TINY, 10))),
    ("windows of one element", [[[[3]]]], have(lambda: torch.max_pool2d(codes([[[[3]]]], 1.0, 0), [1, 1]))),
    ("zero point 255", [255], have(lambda: torch.ops.quantized.add_relu(codes([3], 1.0, 0), codes([1], 1.0, 0), 1.0, 255))),
)
