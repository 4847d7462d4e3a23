"""XNNPACK in ExecuTorch ignores zero points of weights by channel"""
from frames.executorch import codes, compare, dequantize, int8, quantize, torch


class Layers(torch.nn.Module):
    """A linear layer and a convolution of one pixel, with the same weights."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", int8([1, 0], [0, 1]))
        self.register_buffer("kernel", int8([[[1]], [[0]]], [[[0]], [[1]]]))
        self.register_buffer("scale", torch.tensor([1.0, 1.0]))
        self.register_buffer("zero_point", torch.tensor([3, 5]))

    def weight(self, q):
        return codes.dequantize_per_channel(q, self.scale, self.zero_point, 0, -128, 127, torch.int8)

    def forward(self, x, pixel):
        linear = torch.nn.functional.linear(dequantize(x, 1.0, 0), self.weight(self.w))
        convolution = torch.nn.functional.conv2d(dequantize(pixel, 1.0, 0), self.weight(self.kernel))
        return quantize(linear, 1.0, 0), quantize(convolution, 1.0, 0)


NAMES = "[1, 2] times weights [[1, 0], [0, 1]] less [3, 5]", "the same as a convolution"
compare(NAMES, Layers(), int8([1, 2]), int8([[[1]], [[2]]]))
