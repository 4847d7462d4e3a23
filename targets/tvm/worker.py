# SPDX-License-Identifier: Apache-2.0
"""Apache TVM: its ONNX frontend into Relax, compiled by LLVM, as a target. See README.md."""

import os
import warnings

os.environ.update(TVM_NUM_THREADS="1")  # read when TVM is loaded

import numpy  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, numpy_helper  # noqa: E402
from qdiff_worker import Capability, Rejected, Tensor, Unusable, Worker, parse_config, serve  # noqa: E402

TYPES = "int4,int2,float4"
NO_TYPES = "tvm.runtime.tensor takes no array of numbers below a byte, not even for initializers, and Tensor.numpy swaps their halves"

# The frontend finds a converter by the operator's name alone, whatever its domain; these are com.microsoft's.
VENDOR = "AllClassNMS BiasGelu EmbedLayerNormalization FastGelu MatMulInteger16 SkipLayerNormalization".split()
BOTH = "DequantizeLinear Gelu QuantizeLinear".split()  # of both domains


def stage(name, action):
    """What TVM raises is a refusal; of its text what it says, without the trace through its C++ sources."""
    try:
        return action()
    except MemoryError:
        raise
    except Exception as exception:
        lines = [line.strip() for line in str(exception).strip().split("\n") if line.strip()]
        text = " ".join(lines[-3:]) if lines and lines[0].startswith("Traceback") else " ".join(lines[:3])
        raise Rejected("%s: %s" % (type(exception).__name__, text), name) from None


class Tvm(Worker):
    name = "tvm"

    def open(self, version, config):
        settings = parse_config(config, opt=("all", "none"))
        self.settings = "opt=" + settings["opt"]
        warnings.filterwarnings("ignore")
        import tvm
        from tvm import relax
        from tvm.relax.frontend import onnx as frontend

        self.version = tvm.__version__
        if version and version != self.version:
            raise Unusable("TVM %s is installed here, not %s" % (self.version, version))
        self.tvm, self.relax, self.frontend = tvm, relax, frontend
        self.optimize = settings["opt"] == "all"
        self.capabilities = [Capability(name, "", TYPES, NO_TYPES) for name in self.operators()]

    def operators(self):
        """What the frontend has a converter for. Its list has a private name."""
        names = sorted(self.frontend.onnx_frontend._get_convert_map())
        return [("com.microsoft:" if name in VENDOR else "") + name for name in names] + ["com.microsoft:" + name for name in BOTH]

    def prepare(self, data):
        model = stage("load", lambda: onnx.load_model_from_string(bytes(data)))
        module = stage("import", lambda: self.frontend.from_onnx(model))
        compiled = stage("compile", lambda: self.compile(module))
        return stage("load", lambda: self.relax.VirtualMachine(compiled, self.tvm.cpu()))

    def compile(self, module):
        """As TVM's own tests of the frontend do. LLVM's generic CPU: no fused multiply and add, the same numbers on each machine."""
        level = 3 if self.optimize else 0
        with self.tvm.transform.PassContext(opt_level=level):
            module = self.relax.transform.DecomposeOpsForInference()(module)
            pipeline = "default" if self.optimize else self.relax.get_pipeline("default_build")
            return self.tvm.compile(module, target="llvm", relax_pipeline=pipeline)

    def run(self, machine, inputs, wanted):
        feeds = stage("run", lambda: [self.given(one) for one in inputs])
        made = stage("run", lambda: machine["main"](*feeds))
        return stage("run", lambda: [self.output(one) for one in self.each(made)])

    def given(self, value):
        if isinstance(value, Tensor):  # NumPy lacks its type, ml_dtypes has it
            proto = TensorProto(data_type=value.data_type, dims=value.dims, raw_data=bytes(value.data))
            value = numpy_helper.to_array(proto)
        return self.tvm.runtime.tensor(value)

    def each(self, made):
        """A graph of one output gives it, one of several a list of them."""
        single = isinstance(made, (self.tvm.runtime.Tensor, self.tvm.runtime.ShapeTuple, int, float))
        return [made] if single else list(made)

    def output(self, value):
        """A shape, which Shape gives, is read as int64, as TVM's own tests do."""
        if isinstance(value, self.tvm.runtime.ShapeTuple):
            return numpy.array([int(one) for one in value], "int64")
        if not isinstance(value, self.tvm.runtime.Tensor):
            raise Rejected("an output is no tensor: %r" % (value,), "run")
        made = numpy_helper.from_array(value.numpy())
        return Tensor(made.data_type, made.dims, made.raw_data)


serve(Tvm)
