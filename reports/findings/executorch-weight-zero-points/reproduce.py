"""XNNPACK in ExecuTorch ignores zero points of weights by channel

pip install torch executorch
usage: python3 reproduce.py
exit: 0 the numbers are those of torch; 1 they are not
"""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import executorch.kernels.quantized  # what is left of quantized_decomposed outside XNNPACK
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.runtime import Runtime

codes = torch.ops.quantized_decomposed


def quantize(x, scale, zero_point):
    return codes.quantize_per_tensor(x, scale, zero_point, -128, 127, torch.int8)


def dequantize(q, scale, zero_point):
    return codes.dequantize_per_tensor(q, scale, zero_point, -128, 127, torch.int8)


def int8(*values):
    return torch.tensor(values, dtype=torch.int8)


def on_xnnpack(module, *inputs):
    edge = to_edge_transform_and_lower(
        torch.export.export(module, inputs, strict=False),
        partitioner=[XnnpackPartitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    program = Runtime.get().load_program(edge.to_executorch().buffer)
    return program.load_method("forward").execute(list(inputs))


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
module, inputs = Layers(), (int8([1, 2]), int8([[[1]], [[2]]]))
wrong = 0
for name, want, have in zip(NAMES, module(*inputs), on_xnnpack(module, *inputs)):
    print("%s: want %s, have %s" % (name, want.flatten().tolist(), have.flatten().tolist()))
    wrong += not torch.equal(want, have)
sys.exit(wrong > 0)
