# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch's XNNPACK runtime as a target. See README.md."""

import functools
import importlib.metadata
import logging
import os
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import executorch.kernels.quantized  # what is left of quantized_decomposed outside XNNPACK
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.runtime import Runtime
from qdiff_worker import Capability, Rejected, Unusable, Worker, serve
from qdiff_worker.torch_graph import TorchGraph

torch.set_num_threads(1)

OTHER_TYPES = ("int4,int2,float4,float8,float8-scale,float16,bfloat16,int16,blocked,runtime-parameters,runtime-weights,empty,open-shape,"
               "no-zero-point,non-finite,subnormal-scale")


class Told:
    """What is written to descriptor 2 meanwhile: XNNPACK gives its reasons nowhere else."""

    def __enter__(self):
        self.file, self.saved = tempfile.TemporaryFile(), os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *exception):
        os.dup2(self.saved, 2)
        os.close(self.saved)
        self.file.seek(0)
        self.text = " ".join(self.file.read().decode("utf-8", "replace").split())[-400:]
        self.file.close()


def memoize_decompositions():
    """Which operators decompose by themselves is asked five times in each lowering: a fifth of its time. It does not change."""
    known = functools.cache(torch._export.utils._collect_all_valid_cia_ops_for_namespace)
    torch._export.utils._collect_all_valid_cia_ops_for_namespace = lambda namespace: set(known(namespace))


class Program:
    def __init__(self, imported, program, method):
        self.imported, self.program, self.method = imported, program, method

    def run(self, inputs):
        with torch.no_grad():
            outputs = self.method.execute([self.imported.recode(torch.from_numpy(one)) for one in inputs])
        recoded = zip(outputs, self.imported.recoded_outputs)
        return [one.numpy().view("u1") ^ 128 if turn else one.numpy().copy() for one, turn in recoded]


def lower(imported):
    inputs = tuple(torch.zeros(node.meta["val"].shape, dtype=node.meta["val"].dtype)
                   for node in imported.graph.nodes if node.op == "placeholder")
    exported = torch.export.export(imported.module, inputs, strict=False)
    edge = to_edge_transform_and_lower(
        exported, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False)
    )
    return edge.to_executorch().buffer


class Executorch(Worker):
    name = "executorch"
    capabilities = [
        Capability(op, "qdq", OTHER_TYPES + excludes, "XNNPACK has int8 between quantize and dequantize with constant parameters; "
                   "only weights by channel")
        for ops, excludes in (
            ("Add Concat Flatten Mul Reshape Transpose", ",per-channel-scale,per-channel-zero-point"),
            ("Conv Gemm MatMul Relu QuantizeLinear DequantizeLinear", ""),
        )
        for op in ops.split()
    ]

    def open(self, version, config):
        if config:
            raise Unusable("executorch has no settings; leave out [%s]" % config)
        self.version = importlib.metadata.version("executorch")
        if version and version != self.version:
            raise Unusable("executorch %s is installed here, not %s" % (self.version, version))
        self.runtime = Runtime.get()
        memoize_decompositions()
        torch.export.export(torch.nn.ReLU(), (torch.zeros(1),), strict=False)  # what the first one loads takes seconds

    def prepare(self, model):
        imported = TorchGraph(model, signed=True)
        try:
            buffer = lower(imported)
        except Exception as exception:
            raise Rejected("%s: %s" % (type(exception).__name__, exception), "lower") from None
        refused, told = None, Told()
        with told:
            try:
                program = self.runtime.load_program(buffer)
                method = program.load_method("forward")
            except Exception as exception:
                refused = exception
        if refused is not None:
            raise Rejected("%s; %s" % (refused, told.text), "load")
        return Program(imported, program, method)

    def run(self, prepared, inputs, wanted):
        return prepared.run(inputs)


serve(Executorch)
