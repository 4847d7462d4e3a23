"""What torch-mlir compiles for a Relu of codes ends itself where their zero point is the end of their type.

Exit status 1 while the compiled program dies. Needs torch-mlir, onnx and numpy.
"""

import ctypes
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


def relu(dtype, zero_point):
    nodes = [
        node("DequantizeLinear", "x scale zero_point", "x_real"),
        node("Relu", "x_real", "y_real"),
        node("QuantizeLinear", "y_real scale zero_point"),
    ]
    kind = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    return run(nodes, {"x": numpy.zeros(2, dtype)}, kind, [2], 21, scale=numpy.float32(1), zero_point=dtype(zero_point))


CASES = {"int8, zero point 127": (numpy.int8, 127), "int16, zero point 32767": (numpy.int16, 32767)}


def dies(name):
    """The signal that ends the compiled program, 0 for none."""
    child = subprocess.run([sys.executable, __file__, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return max(0, -child.returncode)


def main():
    if len(sys.argv) > 1:
        relu(*CASES[sys.argv[1]])
        return 0
    shown = 0
    for name in CASES:
        ended = dies(name)
        print("%s: %s" % (name, "signal %d" % ended if ended else "computed"))
        shown += ended > 0
    return 1 if shown else 0


sys.exit(main())
