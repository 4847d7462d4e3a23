# SPDX-License-Identifier: Apache-2.0
"""torch-mlir as a target: ONNX -> torch -> linalg -> LLVM, just in time. See README.md."""

import ctypes
import importlib.metadata

import numpy
import torch_mlir.ir as ir
from qdiff_worker import Rejected, Tensor, Unusable, Worker, parse_config, serve
from qdiff_worker.importer import CAPABILITIES, Compiled, stage
from qdiff_worker.protocol import DTYPES
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.execution_engine import ExecutionEngine
from torch_mlir.extras import onnx_importer
from torch_mlir.passmanager import PassManager

TO_LINALG = (
    "builtin.module(func.func(convert-torch-onnx-to-torch),"
    "torch-lower-to-backend-contract{backend-legal-ops=aten.flatten.using_ints,aten.unflatten.int},"
    "torch-backend-to-linalg-on-tensors-backend-pipeline)"
)
TO_LLVM = (
    "builtin.module("
    + ",".join(
        [
            "func.func(linalg-generalize-named-ops)",
            "convert-shape-to-std",
            "inline",
            "func.func(refback-generalize-tensor-pad)",
            "func.func(refback-generalize-tensor-concat)",
            "one-shot-bufferize{copy-before-write bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map}",
            "refback-mlprogram-bufferize",
            "func.func(refback-munge-memref-copy)",
            "func.func(convert-linalg-to-loops)",
            "func.func(lower-affine)",
            "convert-scf-to-cf",
            "func.func(refback-expand-ops-for-llvm)",
            "func.func(arith-expand)",
            "func.func(convert-math-to-llvm)",
            "convert-math-to-libm",
            "expand-strided-metadata",
            "lower-affine",
            "finalize-memref-to-llvm",
            "func.func(convert-arith-to-llvm)",
            "convert-vector-to-llvm",
            "convert-func-to-llvm",
            "convert-cf-to-llvm",
            "convert-complex-to-llvm",
            "reconcile-unrealized-casts",
        ]
    )
    + ")"
)


def descriptor(rank, dtype):
    """The C struct of a ranked memref."""
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_longlong)]
    if rank:
        fields += [("sizes", ctypes.c_longlong * rank), ("strides", ctypes.c_longlong * rank)]
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields, "dtype": dtype, "rank": rank})


def as_descriptor(array):
    made = descriptor(array.ndim, array.dtype)()
    made.allocated = made.aligned = array.ctypes.data
    if array.ndim:
        made.sizes[:] = array.shape
        made.strides[:] = [stride // array.itemsize for stride in array.strides]
    return made


def as_array(made):
    """A copy of what a memref describes."""
    shape = tuple(made.sizes) if made.rank else ()
    strides = tuple(made.strides) if made.rank else ()
    if 0 in shape:
        return numpy.empty(shape, made.dtype)
    itemsize = made.dtype.itemsize
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    memory = (ctypes.c_char * (extent * itemsize)).from_address(made.aligned + made.offset * itemsize)
    flat = numpy.frombuffer(memory, made.dtype)
    view = numpy.lib.stride_tricks.as_strided(flat, shape, [stride * itemsize for stride in strides])
    return view.copy()


class Program:
    """A compiled model. The context has to outlive the engine."""

    def __init__(self, context, engine, entry, outputs):
        self.context, self.engine, self.entry, self.outputs = context, engine, entry, outputs


def import_model(model):
    context = ir.Context()
    torch_dialect.register_dialect(context)
    info = onnx_importer.ModelInfo(model)
    module = info.create_module(context=context)
    operation = getattr(module, "operation", module)
    onnx_importer.NodeImporter.define_function(info.main_graph, operation).import_all()
    operation.verify()
    return context, operation


def lower(context, operation):
    with context:
        PassManager.parse(TO_LINALG).run(operation)
        module = ir.Module.parse(str(operation))
        for function in module.body.operations:
            if function.operation.name == "func.func":
                function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
                entry = ir.StringAttr(function.attributes["sym_name"]).value
        PassManager.parse(TO_LLVM).run(module.operation)
    return module, entry


def build(model):
    """Compiles an onnx.ModelProto."""
    outputs = []
    for output in model.graph.output:
        kind = output.type.tensor_type
        if kind.elem_type not in DTYPES:
            raise Rejected("output %s has a type that NumPy lacks" % output.name, "load")
        outputs.append(descriptor(len(kind.shape.dim), DTYPES[kind.elem_type]))
    context, operation = stage("import", lambda: import_model(model))
    module, entry = stage("lower", lambda: lower(context, operation))
    with context:
        engine = stage("compile", lambda: ExecutionEngine(module, opt_level=0))
    return Program(context, engine, entry, outputs)


class TorchMlir(Worker):
    name = "torch-mlir"

    def open(self, version, config):
        parameters = parse_config(config, parameters=("constant", "input"))["parameters"]
        self.settings = "parameters=" + parameters
        self.compiled = Compiled(build, parameters == "input")
        self.version = importlib.metadata.version("torch-mlir")
        if version and version != self.version:
            raise Unusable("torch-mlir %s is installed here, not %s" % (self.version, version))

    capabilities = CAPABILITIES

    def prepare(self, data):
        return self.compiled.prepare(data)

    def run(self, prepared, inputs, wanted):
        program, parameters = prepared
        if any(isinstance(x, Tensor) for x in inputs):
            raise Rejected("an input has a type that NumPy lacks", "run")
        arguments = [as_descriptor(x.view(numpy.uint8) if x.dtype == numpy.bool_ else x) for x in inputs + parameters]
        fields = [("r%d" % i, kind) for i, kind in enumerate(program.outputs)]
        results = type("Results", (ctypes.Structure,), {"_fields_": fields})()
        pointers = [ctypes.pointer(ctypes.pointer(one)) for one in [results] + arguments]
        with program.context:
            program.engine.invoke(program.entry, *pointers)
        return [as_array(getattr(results, "r%d" % i)) for i in range(len(fields))]


serve(TorchMlir)
