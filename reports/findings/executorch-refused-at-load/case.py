"""ExecuTorch's XNNPACK partitioner takes what the run time refuses to load, or what its own lowering cannot do"""
from frames.executorch import codes, dequantize, int8, on_xnnpack, quantize, sys, torch


class Move(torch.nn.Module):
    """A transposition of real numbers between codes of two scales."""

    def forward(self, x):
        return quantize(dequantize(x, 1.0, 0).transpose(0, 1), 2.0, 0)


class Weights(torch.nn.Module):
    """A linear layer whose weights have a zero point."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", int8([1, 0], [0, 1]))

    def forward(self, x):
        return quantize(torch.nn.functional.linear(dequantize(x, 1.0, 0), dequantize(self.w, 1.0, 3)), 1.0, 0)


class Channels(torch.nn.Module):
    """A Relu between codes that have one scale for each row."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([1.0, 2.0], dtype=torch.float64))
        self.register_buffer("zero_point", torch.tensor([0, 0]))

    def forward(self, x):
        real = codes.dequantize_per_channel(x, self.scale, self.zero_point, 0, -128, 127, torch.int8)
        return codes.quantize_per_channel(torch.relu(real), self.scale, self.zero_point, 0, -128, 127, torch.int8)


refused = 0
for module in Move(), Weights(), Channels():
    inputs = (int8([1, 2], [3, 4]),)
    name = type(module).__doc__
    try:
        print("%s want %s, have %s" % (name, module(*inputs).tolist(), on_xnnpack(module, *inputs)[0].tolist()))
    except Exception as exception:
        refused += 1
        print("%s want %s, refused: %s: %s" % (name, module(*inputs).tolist(), type(exception).__name__, exception))
sys.exit(refused > 0)
