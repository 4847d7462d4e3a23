"""XNNPACK in ExecuTorch rounds sums half up, converts codes by a factor in steps of 1/256, half up, and has a Relu between two
pairs of parameters add the zero point before it rounds"""
from frames.executorch import compare, dequantize, int8, quantize, torch


class Layers(torch.nn.Module):
    def forward(self, a, b, c):
        total = quantize(dequantize(a, 0.5, 0) + dequantize(b, 1.0, 0), 1.0, 0)
        both = dequantize(c, 0.5, 0)  # read by a Relu and by a quantization
        return total, quantize(torch.relu(both), 1.0, 11), quantize(both, 1.0, 0), quantize(both, 1.273885, 0)


NAMES = "1/2, 3/2, 5/2 and 7/2, plus 0", "Relu, zero point 11", "steps of 1/2 to steps of 1", "to steps of 1.273885"
compare(NAMES, Layers(), int8(1, 3, 5, 7), int8(0, 0, 0, 0), int8(1, 3, -5, 124))
