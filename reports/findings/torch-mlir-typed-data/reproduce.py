"""torch-mlir's importer does not read float16 from int32_data, where ONNX has it when it is not raw.

Exit status 1 while a model is refused. Needs torch-mlir, onnx and numpy.
"""

import re
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

REASON = re.compile(r"[^\n]{0,100}")


def dequantize(raw):
    scale = numpy.array(0.5, numpy.float16)
    node = helper.make_node("DequantizeLinear", ["x", "scale", "zero_point"], ["y"])
    model = model_of([node], {"x": (TensorProto.INT8, [2])}, TensorProto.FLOAT16, [2], 21, zero_point=numpy.int8(0))
    if raw:
        tensor = numpy_helper.from_array(scale, "scale")
    else:
        tensor = TensorProto(name="scale", data_type=TensorProto.FLOAT16, int32_data=[int(scale.view(numpy.uint16))])
    model.graph.initializer.append(tensor)
    return model


MODELS = {"float16 in raw_data": lambda: dequantize(True), "float16 in int32_data": lambda: dequantize(False)}


def main():
    refused = 0
    for name, model in MODELS.items():
        try:
            lower(model())
        except Exception as error:
            refused += 1
            print("%s: refused: %s" % (name, REASON.search(str(error)).group()))
        else:
            print("%s: compiled" % name)
    return 1 if refused else 0


sys.exit(main())
