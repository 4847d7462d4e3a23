"""XNNPACK in ExecuTorch leaves out what is between a linear layer and a Relu: a rounding, a saturation"""
from frames.executorch import compare, dequantize, int8, quantize, torch


class Layers(torch.nn.Module):
    """A linear layer whose output is rounded to steps of 10, or to steps of 1/4, before the Relu."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", int8([1, 0], [0, 2], [-1, 0]))

    def forward(self, x):
        product = torch.nn.functional.linear(dequantize(x, 1.0, 0), dequantize(self.w, 1.0, 0))
        other = torch.nn.functional.linear(dequantize(x, 1.0, 0), dequantize(self.w, 1.0, 0))
        coarse = dequantize(quantize(product, 10.0, 0), 10.0, 0)
        narrow = dequantize(quantize(other, 0.25, 0), 0.25, 0)
        return quantize(torch.relu(coarse), 1.0, 0), quantize(torch.relu(narrow), 1.0, 0)


NAMES = "44, 4, -44 in steps of 10, and a Relu", "44, 4, -44 in steps of 1/4, of which there are 127, and a Relu"
compare(NAMES, Layers(), int8([44, 2]))
