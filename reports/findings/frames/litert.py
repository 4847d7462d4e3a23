# Needs ai-edge-litert, flatbuffers and numpy.
# exit: 0 LiteRT does as it should, 1 it does not
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import flatbuffers  # noqa: E402
import numpy  # noqa: E402
from ai_edge_litert import schema_py_generated as schema  # noqa: E402
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402

from frames.apart import apart

KERNELS = {
    "xnnpack": OpResolverType.AUTO,
    "builtin": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "reference": OpResolverType.BUILTIN_REF,
}
FLOAT, U8, S8 = numpy.float32, numpy.uint8, numpy.int8


class Value:
    """A tensor: of a constant what it holds, of others an array of its type and shape."""

    def __init__(self, array, scale=None, zero_point=0, axis=0, constant=False):
        self.array, self.scale, self.zero_point, self.axis, self.constant = numpy.asarray(array), scale, zero_point, axis, constant

    def pack(self, name, buffers):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.hasRank = name, list(self.array.shape), True
        tensor.type = getattr(schema.TensorType, self.array.dtype.name.upper())
        if self.constant:
            tensor.buffer = len(buffers)
            buffers.append(schema.BufferT())
            buffers[-1].data = numpy.frombuffer(self.array.tobytes(), U8)
        if self.scale is not None:
            scales = numpy.atleast_1d(numpy.asarray(self.scale, FLOAT))
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.quantizedDimension = scales, self.axis
            tensor.quantization.zeroPoint = numpy.broadcast_to(numpy.int64(self.zero_point), scales.shape)
        return tensor


def operator(name, inputs, output, kind="", **options):
    return name, inputs.split(), output.split(), kind, options


def run(operators, values, outputs, kernels="xnnpack"):
    """What a model of operators, on values by name, gives; those that are no constants and nobody computes are its inputs. A refusal: its text."""
    model, graph, names = schema.ModelT(), schema.SubGraphT(), list(values)
    made = [one for _, _, out, _, _ in operators for one in out]
    given = [name for name in names if not values[name].constant and name not in made]
    model.version, model.subgraphs, model.buffers, model.operatorCodes, graph.operators = 3, [graph], [schema.BufferT()], [], []
    graph.tensors = [values[name].pack(name, model.buffers) for name in names]
    graph.inputs, graph.outputs = [names.index(one) for one in given], [names.index(one) for one in outputs.split()]
    for at, (name, inputs, out, kind, options) in enumerate(operators):
        code, one = schema.OperatorCodeT(), schema.OperatorT()
        code.builtinCode = getattr(schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        one.opcodeIndex, one.inputs, one.outputs = at, [names.index(i) for i in inputs], [names.index(o) for o in out]
        if kind:
            one.builtinOptionsType, one.builtinOptions = getattr(schema.BuiltinOptions, kind), getattr(schema, kind + "T")()
            vars(one.builtinOptions).update(options)
        model.operatorCodes.append(code)
        graph.operators.append(one)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    try:
        interpreter = Interpreter(
            model_content=bytes(builder.Output()), num_threads=1, experimental_op_resolver_type=KERNELS[kernels]
        )
        interpreter.allocate_tensors()
        for detail, name in zip(interpreter.get_input_details(), given):
            interpreter.set_tensor(detail["index"], values[name].array)
        interpreter.invoke()
        return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
    except (RuntimeError, ValueError) as error:
        return str(error)


def check(*rows):
    """Rows of what is asked, what is right (a list for each output) and the arguments of run() after that, each in a process of its
    own; exits."""
    wrong = 0
    for what, want, *case in rows:
        have = apart(run, *case)
        shown = have if isinstance(have, str) else [one.tolist() for one in have]
        print("%s: want %s, have %s" % (what, want, shown))
        wrong += shown != want
    sys.exit(1 if wrong else 0)
