"""XNNPACK in ExecuTorch: a float bias is rounded to steps of x_scale * w_scale; beyond int32 it changes its sign

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
module, inputs = Layers(), (int8([1, 0]), int8([1, 0]))
wrong = 0
for name, want, have in zip(NAMES, module(*inputs), on_xnnpack(module, *inputs)):
    print("%s: want %s, have %s" % (name, want.flatten().tolist(), have.flatten().tolist()))
    wrong += not torch.equal(want, have)
sys.exit(wrong > 0)
