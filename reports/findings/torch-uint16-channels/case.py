"""quantized_decomposed.dequantize_per_channel refuses uint16"""
from frames.torch import check, have, torch

CODES, SCALES = torch.tensor([[3], [5]], dtype=torch.uint16), torch.tensor([0.5, 2.0])
ZEROS = torch.tensor([1, 1], dtype=torch.int32)
decomposed = torch.ops.quantized_decomposed

check(
    ("by tensor", [[1.0], [2.0]], have(lambda: decomposed.dequantize_per_tensor(CODES, 0.5, 1, 0, 65535, torch.uint16))),
    ("by channel", [[1.0], [8.0]], have(lambda: decomposed.dequantize_per_channel(CODES, SCALES, ZEROS, 0, 0, 65535, torch.uint16))),
)
