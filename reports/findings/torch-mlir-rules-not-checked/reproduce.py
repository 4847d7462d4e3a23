"""Models that break rules of their operators, which torch-mlir does not refuse.

Exit status 1 while one of them is not refused. Needs torch-mlir, onnx and numpy.
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


def matmul():
    """QLinearMatMul: b_zero_point is not of the type of b."""
    names = "a one zero b one b_zero one zero".split()
    constants = {"one": numpy.float32(1), "zero": numpy.int8(0), "b_zero": numpy.uint8(0)}
    inputs = {"a": (TensorProto.INT8, [2, 2]), "b": (TensorProto.INT8, [2, 2])}
    return model_of([helper.make_node("QLinearMatMul", names, ["y"])], inputs, TensorProto.INT8, [2, 2], **constants)


def quantize():
    """QuantizeLinear of opset 10 knows no int16."""
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])
    constants = {"scale": numpy.float32(1), "zero": numpy.int16(0)}
    return model_of([node], {"x": (TensorProto.FLOAT, [2])}, TensorProto.INT16, [2], 10, **constants)


def gather():
    """An index behind the end of the axis."""
    node = helper.make_node("Gather", ["x", "at"], ["y"])
    return model_of([node], {"x": (TensorProto.FLOAT, [2])}, TensorProto.FLOAT, [1], at=numpy.array([2]))


def transpose():
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], group=0)
    w = numpy.ones((1, 1, 1, 1), numpy.float32)
    return model_of([node], {"x": (TensorProto.FLOAT, [1, 1, 2, 2])}, TensorProto.FLOAT, [1, 1, 2, 2], w=w)


def softmax():
    node = helper.make_node("Softmax", ["x"], ["y"], axis=2)
    return model_of([node], {"x": (TensorProto.FLOAT, [2, 2])}, TensorProto.FLOAT, [2, 2])


MODELS = {
    "QLinearMatMul, b_zero_point of another type": matmul,
    "QuantizeLinear to int16 at opset 10": quantize,
    "Gather, an index behind the end": gather,
    "ConvTranspose, group 0": transpose,
    "Softmax along axis 2 of a matrix": softmax,
}
SECONDS = 30


def outcome(name):
    """How lowering one of the models ends, None where it is refused."""
    try:
        child = subprocess.run(
            [sys.executable, __file__, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return "has not ended after %d seconds" % SECONDS
    if child.returncode < 0:
        return "signal %d" % -child.returncode
    return None if child.returncode else "compiled"


def main():
    if len(sys.argv) > 1:
        lower(MODELS[sys.argv[1]]())
        return 0
    shown = 0
    for name in MODELS:
        ended = outcome(name)
        print("%s: %s" % (name, ended or "refused"))
        shown += ended is not None
    return 1 if shown else 0


sys.exit(main())
