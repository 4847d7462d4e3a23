"""XNNPACK in ExecuTorch: a float bias is rounded to steps of x_scale * w_scale; beyond int32 it changes its sign"""
from frames.executorch import compare, dequantize, int8, quantize, torch


class Layers(torch.nn.Module):
    """Two linear layers with a float bias: a fraction of a step, and 1.5 * 2^31 steps of 2^-20."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", int8([1, 0], [0, 1]))
        self.register_buffer("kernel", int8([1, 0], [0, 1]))
        self.register_buffer("fraction", torch.tensor([0.4, -0.4]))
        self.register_buffer("great", torch.tensor([3072.0, -3072.0]))

    def forward(self, x, small):
        rounded = torch.nn.functional.linear(dequantize(x, 1.0, 0), dequantize(self.w, 1.0, 0), self.fraction)
        fine = 2.0**-10
        lost = torch.nn.functional.linear(dequantize(small, fine, 0), dequantize(self.kernel, fine, 0), self.great)
        return quantize(rounded, 0.25, 0), quantize(lost, 32.0, 0)


NAMES = "[1, 0] plus a bias of 0.4 and -0.4, in steps of 1/4", "a bias of 3072 and -3072, in steps of 32"
compare(NAMES, Layers(), int8([1, 0]), int8([1, 0]))
