# SPDX-License-Identifier: Apache-2.0
"""onnxruntime.quantization as a quantizer target. See README.md."""

import ast
import importlib.metadata
import inspect
import io
import logging
import traceback

import numpy
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType
from onnxruntime.quantization import quantize_dynamic, quantize_static
from onnxruntime.quantization.calibrate import TensorsData
from onnxruntime.quantization.onnx_quantizer import ONNXQuantizer
from onnxruntime.quantization.qdq_quantizer import QDQQuantizer
from onnxruntime.quantization.quantize import check_static_quant_arguments
from onnxruntime.quantization.quant_utils import QuantizationMode, update_opset_version
from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry
from qdiff_worker import Crashed, Quantized, Rejected, Unusable, Worker, serve

logging.disable(logging.WARNING)

TYPES = {
    2: QuantType.QUInt8,
    3: QuantType.QInt8,
    4: QuantType.QUInt16,
    5: QuantType.QInt16,
    21: QuantType.QUInt4,
    22: QuantType.QInt4,
}
STATIC_OPS = sorted(set(QLinearOpsRegistry) | set(QDQRegistry))
# Words of Options as the tool calls them.
SWITCHES = {
    "symmetric_activations": "ActivationSymmetric",
    "symmetric_weights": "WeightSymmetric",
    "restricted_asymmetric": "ActivationRestrictedAsymmetric",
}
SAID_NO = (ValueError, NotImplementedError, RuntimeError, TypeError)


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quant_type(number, default):
    if number == 0:
        return default
    if number not in TYPES:
        raise Rejected("the tool has no type for TensorProto.DataType %d" % number, "options")
    return TYPES[number]


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def extra_options(options):
    made = {name: True for word, name in SWITCHES.items() if getattr(options, word)}
    for text in options.extra:
        key, equals, value = text.partition("=")
        if not equals:
            raise Rejected("extra option '%s' is not key=value" % text, "options")
        made[key] = literal(value)
    return made


def with_opset(model, arguments):
    """The model at the opset that its new types ask for, as quantize_static raises it; releases differ in what they look at."""
    types = (arguments["weight_type"], arguments["activation_type"])
    wanted = len(inspect.signature(update_opset_version).parameters) - 1  # without the model
    return update_opset_version(model, *types[:wanted])


MOVES = ("Flatten", "Reshape")


def with_moved(model, ranges):
    """The ranges, and those of the tensors that a conversion to a later opset made by moving one of these: calibration, which
    follows it, finds the same numbers there."""
    ranges = dict(ranges)
    for node in (*model.graph.node, *reversed(model.graph.node)):
        if node.op_type in MOVES:
            moved, made = node.input[0], node.output[0]
            if made in ranges:
                ranges.setdefault(moved, ranges[made])
            elif moved in ranges:
                ranges[made] = ranges[moved]
    return ranges


def by_ranges(model, request, arguments):
    """The tool's own classes with exact ranges: what quantize_static does after its calibration."""
    options = request.options
    form = QuantFormat.QDQ if options.format == "qdq" else QuantFormat.QOperator
    try:
        check_static_quant_arguments(form, arguments["activation_type"], arguments["weight_type"])
    except ValueError as refusal:
        raise Rejected(str(refusal), "options") from None
    model = onnx.shape_inference.infer_shapes(model)
    mark = model.metadata_props.add()
    mark.key, mark.value = "onnx.infer", "onnxruntime.quant"
    before, model = model, with_opset(model, arguments)
    asked = request.ranges if model is before else with_moved(model, request.ranges)
    values = (*model.graph.value_info, *model.graph.input, *model.graph.output)
    types = {value.name: value.type.tensor_type.elem_type for value in values}
    ranges = {}
    for name, ends in asked.items():
        number = numpy.float16 if types.get(name) == onnx.TensorProto.FLOAT16 else numpy.float32
        ranges[name] = tuple(number(end) for end in ends)
    data = TensorsData(CalibrationMethod.MinMax, ranges)
    weight, activation = arguments["weight_type"], arguments["activation_type"]
    ops = arguments["op_types_to_quantize"] or STATIC_OPS
    tail = (weight, activation, data, [], options.exclude, ops, arguments["extra_options"])
    if options.format == "qdq":
        quantizer = QDQQuantizer(model, options.per_channel, options.reduce_range, *tail)
    else:
        mode = QuantizationMode.QLinearOps
        quantizer = ONNXQuantizer(model, options.per_channel, options.reduce_range, mode, True, *tail)
    quantizer.quantize_model()
    quantizer.model.topological_sort()
    return quantizer.model.model.SerializeToString()


def by_calibration(model, request, arguments):
    names = [value.name for value in model.graph.input]
    feeds = [dict(zip(names, (tensor.array() for tensor in one))) for one in request.calibration]
    form = QuantFormat.QDQ if request.options.format == "qdq" else QuantFormat.QOperator
    output = io.BytesIO()
    quantize_static(model, output, Reader(feeds), quant_format=form, **arguments)
    return output.getvalue()


def dynamic(model, arguments):
    output = io.BytesIO()
    if arguments.pop("activation_type") is not QuantType.QUInt8:
        raise Rejected("dynamic activations are uint8 only", "options")
    quantize_dynamic(model, output, **arguments)
    return output.getvalue()


def where(exception):
    """"AssertionError at quantize.py:17 in main: text", without the path of this machine."""
    last = traceback.extract_tb(exception.__traceback__)[-1]
    file = last.filename.rsplit("/", 1)[-1]
    return "%s at %s:%d in %s: %s" % (type(exception).__name__, file, last.lineno, last.name, exception)


class OrtQuant(Worker):
    name = "ort-quant"
    quantizes = [
        "scheme", "format", "activation_type", "weight_type", "per_channel", "reduce_range",
        "symmetric_activations", "symmetric_weights", "restricted_asymmetric", "exclude", "op", "extra",
    ]

    def open(self, version, config):
        if config:
            raise Unusable("ort-quant has no settings here; leave out [%s]" % config)
        self.version = importlib.metadata.version("onnxruntime")
        if version and version != self.version:
            raise Unusable("onnxruntime %s is installed here, not %s" % (self.version, version))

    def quantize(self, request):
        options = request.options
        try:
            model = onnx.load_model_from_string(request.model)
        except Exception as exception:
            raise Rejected("no ONNX model: %s" % exception, "load") from None
        arguments = {
            "op_types_to_quantize": options.op or None,
            "per_channel": options.per_channel,
            "reduce_range": options.reduce_range,
            "weight_type": quant_type(options.weight_type, QuantType.QInt8),
            "activation_type": quant_type(options.activation_type, QuantType.QUInt8),
            "nodes_to_exclude": options.exclude or None,
            "extra_options": extra_options(options),
        }
        try:
            if options.scheme == "dynamic":
                return Quantized(model=dynamic(model, arguments))
            if request.calibration:
                return Quantized(model=by_calibration(model, request, arguments))
            return Quantized(model=by_ranges(model, request, arguments))
        except SAID_NO as exception:
            if str(exception):
                raise Rejected("%s: %s" % (type(exception).__name__, exception), "quantize") from None
            raise Crashed(where(exception), "quantize") from None
        except (Rejected, MemoryError):
            raise
        except Exception as exception:
            raise Crashed(where(exception), "quantize") from None


serve(OrtQuant)
