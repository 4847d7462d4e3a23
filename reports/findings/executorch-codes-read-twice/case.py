"""XNNPACK in ExecuTorch reads codes that are dequantized by two scales with one of them"""
from frames.executorch import compare, dequantize, int8, quantize, torch


class Twice(torch.nn.Module):
    def forward(self, x):
        one, half = torch.relu(dequantize(x, 1.0, 0)), torch.relu(dequantize(x, 0.5, 0))
        return quantize(one, 1.0, 0), quantize(half, 1.0, 0)


NAMES = "Relu of 2, 40, 120 in steps of 1", "the same codes in steps of 1/2"
compare(NAMES, Twice(), int8(2, 40, 120))
