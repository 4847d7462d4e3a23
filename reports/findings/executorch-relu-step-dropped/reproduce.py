"""XNNPACK in ExecuTorch leaves out what is between a linear layer and a Relu: a rounding, a saturation

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
module, inputs = Layers(), (int8([44, 2]),)
wrong = 0
for name, want, have in zip(NAMES, module(*inputs), on_xnnpack(module, *inputs)):
    print("%s: want %s, have %s" % (name, want.flatten().tolist(), have.flatten().tolist()))
    wrong += not torch.equal(want, have)
sys.exit(wrong > 0)
