"""quantized::sigmoid of QNNPACK has one output scale, and takes a scalar for empty"""
from frames.torch import check, codes, have, torch

torch.backends.quantized.engine = "qnnpack"

check(
    ("output scale 1/128", [64], have(lambda: torch.ops.quantized.sigmoid(codes([0], 1.0, 0), 1 / 128, 0))),
    ("output zero point 1", [129], have(lambda: torch.ops.quantized.sigmoid(codes([0], 1.0, 0), 1 / 256, 1))),
    ("a scalar", 128, have(lambda: torch.ops.quantized.sigmoid(codes(0, 1.0, 0), 1 / 256, 0))),
    ("output scale 1/256", [128], have(lambda: torch.ops.quantized.sigmoid(codes([0], 1.0, 0), 1 / 256, 0))),
)
