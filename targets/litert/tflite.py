# SPDX-License-Identifier: Apache-2.0
"""A TensorFlow Lite model under construction: tensors, operators, and the flatbuffer of them."""

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    numpy.dtype(name): getattr(schema.TensorType, name.upper())
    for name in ("float32", "int32", "uint8", "int64", "bool", "int16", "int8")
}


class Quantization:
    """Parameters of a group of tensors: those whose codes are moved and not changed have the same."""

    def __init__(self):
        self.other, self.parameters = None, None

    def root(self):
        return self.other.root() if self.other else self


class Value:
    """A tensor. `array` is what it holds if it is constant."""

    def __init__(self, dtype, shape, array=None):
        self.dtype, self.shape, self.array = numpy.dtype(dtype), tuple(int(one) for one in shape), array
        self.quantization, self.index = Quantization(), None
        self.by_channel = None  # parameters along an axis, which moving the codes would take elsewhere

    @classmethod
    def constant(cls, array, dtype=None):
        array = numpy.array(array, dtype, order="C")
        return cls(array.dtype, array.shape, array)

    @property
    def rank(self):
        return len(self.shape)


class Conflict(Exception):
    """The same tensor has two pairs of parameters, which TensorFlow Lite cannot say."""


def same(a, b):
    return all(numpy.array_equal(x, y) for x, y in zip(a, b))


def annotate(value, scale, zero_point, axis=0):
    root = value.quantization.root()
    parameters = numpy.atleast_1d(scale), numpy.atleast_1d(zero_point).astype(numpy.int64), axis
    for known in (root.parameters, value.by_channel):
        if known is not None and not same(known, parameters):
            raise Conflict()
    if parameters[0].size > 1:
        value.by_channel = parameters
    else:
        root.parameters = parameters


def share(*values):
    first = values[0].quantization.root()
    for value in values[1:]:
        root = value.quantization.root()
        if root is first:
            continue
        if first.parameters is not None and root.parameters is not None and not same(first.parameters, root.parameters):
            raise Conflict()
        first.parameters = root.parameters if first.parameters is None else first.parameters
        root.other = first


class Model:
    def __init__(self):
        self.values, self.operators, self.codes = [], [], []

    def add(self, value):
        """The tensor's number; a constant is stored anew for each use, which may have parameters of its own."""
        if value.index is None:
            value.index = len(self.values)
            self.values.append(value)
        return value.index

    def emit(self, name, inputs, outputs, kind="", **options):
        operator, code = schema.OperatorT(), getattr(schema.BuiltinOperator, name)
        if code not in self.codes:
            self.codes.append(code)
        operator.opcodeIndex = self.codes.index(code)
        operator.inputs = [-1 if one is None else self.add(one) for one in inputs]
        operator.outputs = [self.add(one) for one in outputs]
        if kind:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
            operator.builtinOptions = getattr(schema, kind + "T")()
            for key, option in options.items():
                if not hasattr(operator.builtinOptions, key):
                    raise AttributeError(key)
                setattr(operator.builtinOptions, key, option)
        self.operators.append(operator)

    def pack(self, inputs, outputs):
        model, graph = schema.ModelT(), schema.SubGraphT()
        graph.inputs, graph.outputs = [self.add(one) for one in inputs], [self.add(one) for one in outputs]
        model.version, model.subgraphs, model.operatorCodes, model.buffers = 3, [graph], [], [schema.BufferT()]
        graph.operators, graph.tensors = self.operators, [self.tensor(model, one) for one in self.values]
        for code in self.codes:
            one = schema.OperatorCodeT()
            one.version = 2 if code == schema.BuiltinOperator.BROADCAST_TO else 1  # the least that there is
            one.builtinCode, one.deprecatedBuiltinCode = code, min(code, 127)
            model.operatorCodes.append(one)
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def tensor(self, model, value):
        tensor = schema.TensorT()
        tensor.name, tensor.type, tensor.shape = "t%d" % value.index, TYPES[value.dtype], list(value.shape)
        tensor.hasRank = True
        if value.array is not None:
            tensor.buffer = len(model.buffers)
            model.buffers.append(schema.BufferT())
            model.buffers[-1].data = numpy.frombuffer(value.array.tobytes(), numpy.uint8)
        parameters = value.by_channel or value.quantization.root().parameters
        if parameters is not None:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint, tensor.quantization.quantizedDimension = parameters
        return tensor
