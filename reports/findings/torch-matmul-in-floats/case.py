"""quantized::matmul dequantizes, multiplies in float32 and quantizes"""
from frames.torch import check, codes, have, torch

A, B = codes([[16, 8]], 0.1, 10), codes([[1], [3]], 0.7, 0)  # 6 and -2

check(("6 * 1 - 2 * 3", [[100]], have(lambda: torch.ops.quantized.matmul(A, B, 2.0**-27, 100))))
