"""torch-mlir follows a null pointer where QLinearConv pads unevenly or by auto_pad.

Exit status 1 while the compiler dies. Needs torch-mlir, onnx and numpy.
"""

import subprocess
import sys

import numpy
import onnx
import torch_mlir.ir as ir
from onnx import TensorProto, helper, numpy_helper, shape_inference
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras import onnx_importer
from torch_mlir.passmanager import PassManager

TO_LINALG = (
    "builtin.module(func.func(convert-torch-onnx-to-torch),torch-lower-to-backend-contract{backend-legal-ops="
    "aten.flatten.using_ints,aten.unflatten.int},torch-backend-to-linalg-on-tensors-backend-pipeline)"
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


def conv(**attributes):
    """QLinearConv of int8 [1, 1, 2, 2] by one filter of that size; a row and a column of padding give it again."""
    names = "x scale zero w scale zero scale zero".split()
    node = helper.make_node("QLinearConv", names, ["y"], **attributes)
    constants = {"scale": numpy.float32(1), "zero": numpy.int8(0), "w": numpy.ones((1, 1, 2, 2), numpy.int8)}
    inputs = {"x": (TensorProto.INT8, [1, 1, 2, 2])}
    return model_of([node], inputs, TensorProto.INT8, [1, 1, 2, 2], **constants)


MODELS = {
    "pads = [0, 0, 1, 1]": lambda: conv(pads=[0, 0, 1, 1]),
    "auto_pad = SAME_UPPER": lambda: conv(auto_pad="SAME_UPPER"),
}


def dies(name):
    """The signal that ends the compiler on one of the models, 0 for none."""
    child = subprocess.run([sys.executable, __file__, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return max(0, -child.returncode)


def main():
    if len(sys.argv) > 1:
        lower(MODELS[sys.argv[1]]())
        return 0
    shown = 0
    for name in MODELS:
        ended = dies(name)
        print("%s: %s" % (name, "signal %d" % ended if ended else "compiled"))
        shown += ended > 0
    return 1 if shown else 0


sys.exit(main())
