"""Kernels between codes round the last elements of a tensor after the zero point is added, and the others before"""
from frames.torch import check, codes, have, torch

ONES, ZEROS = codes([1] * 65, 1.0, 0), codes([0] * 65, 1.0, 0)
WANT = [1] * 65

check(
    ("quantized::leaky_relu", WANT, have(lambda: torch.ops.quantized.leaky_relu(ONES, 0.5, False, 2.0, 1))),
    ("quantized::add", WANT, have(lambda: torch.ops.quantized.add(ONES, ZEROS, 2.0, 1))),
    ("quantized::cat", WANT, have(lambda: torch.ops.quantized.cat([ONES], 0, 2.0, 1))),
)
