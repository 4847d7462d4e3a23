"""FBGEMM adds the bias of a quantized layer as a product with a rounded reciprocal"""
from frames.torch import check, codes, have, torch

torch.backends.quantized.engine = "fbgemm"
BIAS = torch.tensor([6.0])  # 2 * x_scale * w_scale


def linear():
    packed = torch.ops.quantized.linear_prepack(codes([[-1]], 32.0, 0, torch.int8), BIAS)
    return torch.ops.quantized.linear(codes([[3]], 0.09375, 0), packed, 2.0, 100)


def conv():
    packed = torch.ops.quantized.conv2d_prepack(codes([[[[-1]]]], 32.0, 0, torch.int8), BIAS, [1, 1], [0, 0], [1, 1], 1)
    return torch.ops.quantized.conv2d(codes([[[[3]]]], 0.09375, 0), packed, 2.0, 100)


check(("quantized::linear", [[98]], have(linear)), ("quantized::conv2d", [[[[98]]]], have(conv)))
