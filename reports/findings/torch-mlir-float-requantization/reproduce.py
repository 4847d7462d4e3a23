"""torch-mlir requantizes in float32 in orders that overflow, lose bits or round twice.

Exit status 1 while a result is wrong. Needs torch-mlir, onnx and numpy.
"""

import ctypes
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


def conv(x, x_scale, w, w_scale, y_scale):
    """QLinearConv of one element by as many filters of weight w as there are scales, without zero points."""
    nodes = [node("QLinearConv", "x x_scale zero w w_scale w_zero y_scale zero")]
    w_scale = numpy.asarray(w_scale, numpy.float32)
    constants = {
        "x_scale": numpy.float32(x_scale),
        "zero": numpy.int8(0),
        "w": numpy.full((w_scale.size, 1, 1, 1), w, numpy.int8),
        "w_scale": w_scale,
        "w_zero": numpy.zeros(w_scale.shape, numpy.int8),
        "y_scale": numpy.float32(y_scale),
    }
    data = {"x": numpy.full((1, 1, 1, 1), x, numpy.int8)}
    return run(nodes, data, TensorProto.INT8, [1, w_scale.size, 1, 1], **constants)


def cases():
    # 100 * 1.5e38 * 0.5 is no float32
    yield "100 * 1.5e38 by 1 * 0.5, in steps of 1.5e38", 50, conv(100, 1.5e38, 1, 0.5, 1.5e38)
    # 127 * 127 * 2^-160 / 2^-149 = 16129 / 2048 = 7.88; 2^-160 is 0 in float32
    yield "127 * 2^-100 by 127 * 2^-60, in steps of 2^-149", 8, conv(127, 2.0**-100, 127, 2.0**-60, 2.0**-149)
    # 108.500006 exactly; 105 * x_scale and 92 * w_scale, rounded to float32 each, and so on, give 108.5, and even is 108
    scales = [0.048138168, 0.048138168]
    yield "a near tie with a vector of scales", 109, conv(105, 0.059218258, 92, scales, 0.25380054)


def main():
    wrong = 0
    for what, want, have in cases():
        print("%s: want %s, have %s" % (what, want, have))
        wrong += want != have
    return 1 if wrong else 0


sys.exit(main())
