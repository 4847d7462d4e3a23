# SPDX-License-Identifier: Apache-2.0
"""What workers around torch-mlir's ONNX importer share: torch-mlir itself, and IREE."""

import hashlib
from collections import OrderedDict

import onnx
from onnx import numpy_helper, shape_inference

from .protocol import DTYPES, Answer, Capability, Rejected

# Established by running the smoke level; README.md says how. What has a conversion and fails is a finding.
TYPES = "bfloat16,float8,float8-scale,float4,int4,int2"
NO_TYPES = "no way through importer, JIT and NumPy for bfloat16, float8, float4 and integers below a byte"
NO_FORM = "; there is no conversion without a zero point and for blocked parameters"
CAPABILITIES = [
    Capability(op, "", TYPES, NO_TYPES)
    for op in (
        "Add AveragePool Cast Clip Concat Conv ConvInteger ConvTranspose DepthToSpace Div DynamicQuantizeLinear "
        "Expand Flatten Gather Gemm GlobalAveragePool Identity LeakyRelu MatMul MatMulInteger MaxPool Mul Pad "
        "QLinearConv QLinearMatMul ReduceMax Relu Reshape Sigmoid Slice Softmax SpaceToDepth Split "
        "Squeeze Sub Tanh Tile Transpose Unsqueeze Where"
    ).split()
] + [
    Capability(op, "", TYPES + ",no-zero-point,blocked", NO_TYPES + NO_FORM)
    for op in ("QuantizeLinear", "DequantizeLinear")
] + [Capability("ReduceMean", "", TYPES + ",x-s32,x-s64", NO_TYPES + "; aten.mean is of floats")]

# Inputs of these operators that hold weights and quantization parameters.
PARAMETERS = {
    "QuantizeLinear": range(1, 3),
    "DequantizeLinear": range(3),
    "QLinearConv": range(1, 9),
    "QLinearMatMul": range(8),
    "ConvInteger": range(1, 4),
    "MatMulInteger": range(4),
}
KEPT = 32  # compiled models at a time


def stage(name, action):
    try:
        return action()
    except (MemoryError, Answer):
        raise
    except Exception as exception:
        raise Rejected("%s: %s" % (type(exception).__name__, exception), name) from None


def lift(model):
    """Makes inputs of the initializers that are weights or quantization parameters; returns their values in order."""
    graph, other = model.graph, {value.name for value in list(model.graph.input) + list(model.graph.output)}
    for node in graph.node:
        places = PARAMETERS.get(node.op_type, ()) if not node.domain else ()
        other.update(name for at, name in enumerate(node.input) if at not in places)
    lifted = [one for one in graph.initializer if one.name not in other and one.data_type in DTYPES]
    left = [one for one in graph.initializer if one.name in other or one.data_type not in DTYPES]
    graph.input.extend(onnx.helper.make_tensor_value_info(one.name, one.data_type, one.dims) for one in lifted)
    del graph.initializer[:]
    graph.initializer.extend(left)
    return [numpy_helper.to_array(one) for one in lifted]


def infer(model):
    return shape_inference.infer_shapes(model, data_prop=True)


class Compiled:
    """Models compiled by `build(model)`, the last ones used, found again by what was compiled.

    Models go through ONNX's checker and shape inference, as in the importers' own command lines.

    With `lifting`, weights and parameters are inputs, so that models which differ in nothing else are compiled once.
    """

    def __init__(self, build, lifting):
        self.build, self.lifting, self.programs = build, lifting, OrderedDict()

    def prepare(self, data):
        """The program of a serialised model, and the values of inputs that were its initializers."""
        model = stage("load", lambda: onnx.load_model_from_string(data))
        stage("check", lambda: onnx.checker.check_model(model))
        model.graph.name = "graph"  # the suite gives every model its own
        values = stage("load", lambda: lift(model)) if self.lifting else []
        key = hashlib.sha256(model.SerializeToString(deterministic=True)).digest()
        program = self.programs.pop(key, None)
        if program is None:
            program = self.build(stage("load", lambda: infer(model)))
        self.programs[key] = program
        if len(self.programs) > KEPT:
            self.programs.popitem(last=False)
        return program, values
