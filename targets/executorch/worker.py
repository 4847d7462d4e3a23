"""ExecuTorch's XNNPACK runtime as a target. See README.md."""

import importlib.metadata
import logging
import os
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.runtime import Runtime
from qdiff_worker import Capability, Rejected, Unusable, Worker, serve
from qdiff_worker.torch_graph import TorchGraph

torch.set_num_threads(1)


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


class Program:
    def __init__(self, program, method):
        self.program, self.method = program, method


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
        Capability(op, needs="qdq", excludes="int4,int2,float4,float8,float8-scale,float16,bfloat16,int16,blocked,runtime-parameters,"
                   "runtime-weights,empty,no-zero-point,non-finite,subnormal-scale",
                   reason="XNNPACK has int8 between quantize and dequantize with constant parameters")
        for op in ("Add", "Concat", "Conv", "Flatten", "Gemm", "MatMul", "Mul", "Relu", "Reshape", "Transpose",
                   "QuantizeLinear", "DequantizeLinear")
    ]

    def open(self, version, config):
        if config:
            raise Unusable("executorch has no settings; leave out [%s]" % config)
        self.version = importlib.metadata.version("executorch")
        if version and version != self.version:
            raise Unusable("executorch %s is installed here, not %s" % (self.version, version))
        self.runtime = Runtime.get()
        torch.export.export(torch.nn.ReLU(), (torch.zeros(1),), strict=False)  # what the first one loads takes seconds

    def prepare(self, model):
        imported = TorchGraph(model)
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
        return Program(program, method)

    def run(self, prepared, inputs, wanted):
        with torch.no_grad():
            outputs = prepared.method.execute([torch.from_numpy(one) for one in inputs])
        return [one.numpy().copy() for one in outputs]


serve(Executorch)
