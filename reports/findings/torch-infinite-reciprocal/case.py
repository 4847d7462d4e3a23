"""The reciprocal of a scale below 2^-128 is infinite, and codes are saturated"""
from frames.torch import check, codes, have, torch

SCALE = 2.0**-140
X = torch.tensor([3 * SCALE, -3 * SCALE])

check(
    ("quantize_per_tensor", [13, 7], have(lambda: torch.quantize_per_tensor(X, SCALE, 10, torch.quint8))),
    ("quantized::leaky_relu", [13], have(lambda: torch.ops.quantized.leaky_relu(codes([3], SCALE, 0), 0.5, False, SCALE, 10))),
    ("quantized::add", [13], have(lambda: torch.ops.quantized.add(codes([3], SCALE, 0), codes([0], SCALE, 0), SCALE, 10))),
)
