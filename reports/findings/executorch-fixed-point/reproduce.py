"""XNNPACK in ExecuTorch rounds sums half up, converts codes by a factor in steps of 1/256, half up, and has a Relu between two
pairs of parameters add the zero point before it rounds

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
    def forward(self, a, b, c):
        total = quantize(dequantize(a, 0.5, 0) + dequantize(b, 1.0, 0), 1.0, 0)
        both = dequantize(c, 0.5, 0)  # read by a Relu and by a quantization
        return total, quantize(torch.relu(both), 1.0, 11), quantize(both, 1.0, 0), quantize(both, 1.273885, 0)


NAMES = "1/2, 3/2, 5/2 and 7/2, plus 0", "Relu, zero point 11", "steps of 1/2 to steps of 1", "to steps of 1.273885"
module, inputs = Layers(), (int8(1, 3, 5, 7), int8(0, 0, 0, 0), int8(1, 3, -5, 124))
wrong = 0
for name, want, have in zip(NAMES, module(*inputs), on_xnnpack(module, *inputs)):
    print("%s: want %s, have %s" % (name, want.flatten().tolist(), have.flatten().tolist()))
    wrong += not torch.equal(want, have)
sys.exit(wrong > 0)
