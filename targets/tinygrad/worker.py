# SPDX-License-Identifier: Apache-2.0
"""tinygrad's ONNX frontend, tinygrad.nn.onnx.OnnxRunner, as a target. See README.md."""

import importlib.metadata
import os
import platform
import shutil
import warnings

# tinygrad reads these when it is imported. No file in the user's cache, one thread, and kernels for a CPU without fused
# multiply and add, so that numbers do not depend on the machine. F16C: without it clang 14 has no float16.
os.environ.update(CACHELEVEL="0", NUM_CPU_THREADS="1", PARALLEL="0", DEBUG="0", BEAM="0", CC="clang")
os.environ.update(DEV="CPU:CLANG:x86_64,x86-64,f16c" if platform.machine() == "x86_64" else "CPU:CLANG")

from qdiff_worker import Capability, Rejected, Tensor, Unusable, Worker, parse_config, serve  # noqa: E402

TYPES = "float8,float8-scale,float4,int4,int2,bfloat16"
NO_TYPES = "OnnxDataType has no float8, no float4 and no integers below a byte, and clang 14 no bfloat16"
VENDOR = "BiasGelu FastGelu QLinearAdd QLinearGlobalAveragePool QLinearMul SkipLayerNormalization".split()


def stage(name, action):
    try:
        return action()
    except MemoryError:
        raise
    except Exception as exception:
        raise Rejected("%s: %s" % (type(exception).__name__, exception), name) from None


class Tinygrad(Worker):
    name = "tinygrad"

    def open(self, version, config):
        settings = parse_config(config, opt=("none", "all"))
        self.settings = "opt=" + settings["opt"]
        self.version = importlib.metadata.version("tinygrad")
        if version and version != self.version:
            raise Unusable("tinygrad %s is installed here, not %s" % (self.version, version))
        if not shutil.which("clang"):
            raise Unusable("there is no clang, with which tinygrad compiles its kernels: Debian's package clang has it")
        os.environ.update(NOOPT=str(int(settings["opt"] == "none")))
        warnings.filterwarnings("ignore")
        import tinygrad
        from tinygrad.nn import onnx

        self.tinygrad, self.onnx = tinygrad, onnx
        self.numbers = {one.to_dtype(): int(one) for one in onnx.OnnxDataType}
        names = sorted(set(onnx.onnx_ops)) + ["com.microsoft:QuantizeLinear", "com.microsoft:DequantizeLinear"]
        self.capabilities = [
            Capability(("com.microsoft:" if op in VENDOR else "") + op, "", TYPES, NO_TYPES) for op in names
        ]

    def prepare(self, data):
        """As tinygrad's own tests give it a model that is in memory."""
        return stage("load", lambda: self.onnx.OnnxRunner(self.tinygrad.Tensor(data, device="PYTHON")))

    def run(self, runner, inputs, wanted):
        feeds = {name: self.given(one) for name, one in zip(runner.graph_inputs, inputs)}
        return stage("run", lambda: [self.output(one) for one in runner(feeds).values()])

    def given(self, value):
        value = Tensor.of(value)
        dtype = self.onnx.OnnxDataType(value.data_type).to_dtype()
        if 0 in value.dims:
            return self.tinygrad.Tensor.zeros(*value.dims, dtype=dtype)
        return self.tinygrad.Tensor(bytes(value.data), dtype=dtype).reshape(tuple(value.dims))

    def output(self, value):
        """The type and shape that it has. Not Tensor.data, which has no float16 before Python 3.12."""
        if not isinstance(value, self.tinygrad.Tensor):
            raise Rejected("an output is no tensor: %r" % (value,), "run")
        if value.dtype not in self.numbers:
            raise Rejected("an output has type %s" % value.dtype, "run")
        data = b"" if 0 in value.shape else bytes(value._data())
        return Tensor(self.numbers[value.dtype], value.shape, data)


serve(Tinygrad)
