# pip install torch executorch
# exit: 0 the numbers are those of torch, 1 they are not
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


def compare(names, module, *inputs):
    """The outputs of a module on XNNPACK against torch's; a name for each."""
    wrong = 0
    for name, want, have in zip(names, module(*inputs), on_xnnpack(module, *inputs)):
        print("%s: want %s, have %s" % (name, want.flatten().tolist(), have.flatten().tolist()))
        wrong += not torch.equal(want, have)
    sys.exit(wrong > 0)
