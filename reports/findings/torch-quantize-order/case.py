"""torch.quantize_per_tensor multiplies by a rounded reciprocal and rounds after the zero point is added"""
from frames.torch import check, have, torch

X = torch.tensor([0.5, 1.5, 2.5])

check(
    ("ties, zero point 1", [1, 3, 3], have(lambda: torch.quantize_per_tensor(X, 1.0, 1, torch.quint8))),
    ("0.35 of scale 0.1", [3], have(lambda: torch.quantize_per_tensor(torch.tensor([0.35]), 0.1, 0, torch.quint8))),
)
