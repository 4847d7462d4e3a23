"""quantized_decomposed.dequantize_per_tensor to float16 rounds the codes to float16 first"""
from frames.torch import check, have, torch

CODES = torch.tensor([2049, 2051], dtype=torch.int16)


def run():
    return torch.ops.quantized_decomposed.dequantize_per_tensor(CODES, 1.0, 2049, -32768, 32767, torch.int16, out_dtype=torch.float16)


check(("codes 2049 and 2051 of zero point 2049", [0.0, 2.0], have(run)))
