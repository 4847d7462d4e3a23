# Needs torch-mlir, onnx and numpy.
# exit: 0 torch-mlir does as it should, 1 it does not
import ctypes
import re
import subprocess
import sys

import numpy
import onnx
import torch_mlir.ir as ir
from onnx import TensorProto, helper, numpy_helper, shape_inference
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.execution_engine import ExecutionEngine
from torch_mlir.extras import onnx_importer
from torch_mlir.passmanager import PassManager

TO_LINALG = (
    "builtin.module(func.func(convert-torch-onnx-to-torch),torch-lower-to-backend-contract{backend-legal-ops="
    "aten.flatten.using_ints,aten.unflatten.int},torch-backend-to-linalg-on-tensors-backend-pipeline)"
)
TO_LLVM = (
    "builtin.module(func.func(linalg-generalize-named-ops),func.func(refback-generalize-tensor-pad),"
    "one-shot-bufferize{copy-before-write bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},refback-mlprogram-bufferize,"
    "func.func(refback-munge-memref-copy),func.func(convert-linalg-to-loops),func.func(lower-affine),"
    "convert-scf-to-cf,func.func(refback-expand-ops-for-llvm),func.func(arith-expand),"
    "func.func(convert-math-to-llvm),convert-math-to-libm,expand-strided-metadata,lower-affine,"
    "finalize-memref-to-llvm,func.func(convert-arith-to-llvm),convert-func-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts)"
)


def lower(model):
    """From ONNX to linalg, as torch-mlir's own pipeline does it."""
    onnx.checker.check_model(model)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    info = onnx_importer.ModelInfo(shape_inference.infer_shapes(model, data_prop=True))
    module = info.create_module(context=context)
    operation = getattr(module, "operation", module)
    onnx_importer.NodeImporter.define_function(info.main_graph, operation).import_all()
    with context:
        PassManager.parse(TO_LINALG).run(operation)
    return context, operation


def model_of(nodes, inputs, kind, shape, opset=13, **constants):
    """A graph with the output y; inputs are (type, shape) by name, constants arrays by name."""
    values = [helper.make_tensor_value_info(name, *one) for name, one in inputs.items()]
    fixed = [numpy_helper.from_array(numpy.asarray(x), name) for name, x in constants.items()]
    result = helper.make_tensor_value_info("y", kind, shape)
    graph = helper.make_graph(nodes, "graph", values, [result], fixed)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def memref(array):
    """The C struct that describes an array."""
    fields = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_longlong)]
    if array.ndim:
        fields += [("sizes", ctypes.c_longlong * array.ndim), ("strides", ctypes.c_longlong * array.ndim)]
    made = type("MemRef", (ctypes.Structure,), {"_fields_": fields})()
    made.allocated = made.aligned = array.ctypes.data
    if array.ndim:
        made.sizes[:] = array.shape
        made.strides[:] = [stride // array.itemsize for stride in array.strides]
    return made


def run(nodes, inputs, kind, shape, opset=13, **constants):
    """The first element of y; inputs and constants are arrays by name."""
    types = {name: (helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for name, x in inputs.items()}
    context, operation = lower(model_of(nodes, types, kind, shape, opset, **constants))
    with context:
        module = ir.Module.parse(str(operation))
        for function in module.body.operations:
            if function.operation.name == "func.func":
                function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
        PassManager.parse(TO_LLVM).run(module.operation)
        engine = ExecutionEngine(module, opt_level=0)
        y = numpy.zeros(shape, helper.tensor_dtype_to_np_dtype(kind))
        result = memref(y)
        arguments = [result] + [memref(x) for x in inputs.values()]
        engine.invoke("graph", *[ctypes.pointer(ctypes.pointer(one)) for one in arguments])
        bytes_of_first = ctypes.string_at(result.aligned + result.offset * y.itemsize, y.itemsize)
    return numpy.frombuffer(bytes_of_first, y.dtype)[0]


def node(op_type, names, output="y", **attributes):
    return helper.make_node(op_type, names.split(), [output], **attributes)


def compare(cases):
    """Of each case what it is, the right number and torch-mlir's."""
    wrong = 0
    for what, want, have in cases:
        print("%s: want %s, have %s" % (what, want, have))
        wrong += want != have
    sys.exit(wrong > 0)


def compile_all(models, reason):
    """Each model of a dictionary is to be lowered; reason is the pattern of what is shown where one is refused."""
    refused = 0
    for name, model in models.items():
        try:
            lower(model())
        except Exception as error:
            refused += 1
            print("%s: refused: %s" % (name, re.search(reason, str(error)).group()))
        else:
            print("%s: compiled" % name)
    sys.exit(refused > 0)


def outcome(name, seconds=30):
    """How a process of this script about one name ends, None where there is an exception."""
    try:
        child = subprocess.run(
            [sys.executable, sys.argv[0], name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "has not ended after %d seconds" % seconds
    if child.returncode < 0:
        return "signal %d" % -child.returncode
    return None if child.returncode else "done"


def died(ended):
    return ended is not None and ended.startswith("signal")


def in_processes(actions, shows):
    """Runs each action of a dictionary in a process of its own; shows(outcome): whether that is the divergence."""
    if len(sys.argv) > 1:
        actions[sys.argv[1]]()
        sys.exit(0)
    shown = 0
    for name in actions:
        ended = outcome(name)
        print("%s: %s" % (name, ended or "refused"))
        shown += shows(ended)
    sys.exit(shown > 0)
