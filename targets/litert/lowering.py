# SPDX-License-Identifier: Apache-2.0
"""An ONNX model as a TensorFlow Lite model: each operator by those that TensorFlow Lite has for it. No arithmetic on numbers."""

import numpy
import onnx
from onnx import helper, numpy_helper
from qdiff_worker import Rejected, Skip
from tflite import TYPES, Conflict, Model, Value, annotate, share

SPECIFICATION = "https://ai.google.dev/edge/litert/models/quantization_spec"
OPERATORS = "https://www.tensorflow.org/mlir/tfl_ops"

EXCLUDED = (
    "float16,bfloat16,float8,float8-scale,float4,int4,int2,x-f64,blocked,empty,rank0,"
    "runtime-parameters,runtime-controls,subnormal-scale"
)
REASON = (
    "parameters, shapes, axes and indices are part of a TensorFlow Lite model; kernels for tensors without elements, scalars, blocks "
    "and narrow types are few"
)

SAME, VALID = 0, 1
LOWEST = {"int8": -128, "uint8": 0, "int16": -32768, "float32": -numpy.inf}
DEFAULT, VENDOR = "", "com.microsoft"
HANDLERS = {}


def handles(names, *more):
    def register(function):
        for name in names.split():
            HANDLERS[name] = lambda self, node, x, function=function: function(self, node, x, *more)
        return function

    return register


def specification(condition, text):
    """Declines what TensorFlow Lite's specification of quantization has no place for."""
    if not condition:
        raise Skip(text, SPECIFICATION)


def operators(condition, text):
    """Declines a form that none of TensorFlow Lite's operators has."""
    if not condition:
        raise Skip(text, OPERATORS)


class Node:
    """Attributes by name, with their defaults given where they are asked for."""

    def __init__(self, proto, opset):
        self.proto, self.opset = proto, opset
        self.attributes = {one.name: helper.get_attribute_value(one) for one in proto.attribute}

    def get(self, name, default=None):
        value = self.attributes.get(name, default)
        return str(value, "utf-8") if isinstance(value, bytes) else value


class Lowering:
    def __init__(self, proto):
        self.model, self.graph = Model(), proto.graph
        self.opset = {one.domain: one.version for one in proto.opset_import}.get(DEFAULT, 1)
        self.known = {one.name: numpy_helper.to_array(one) for one in self.graph.initializer}
        self.is_signed = any(self.wants_signed(node) for node in self.graph.node)
        self.values = {name: self.constant(array) for name, array in self.known.items()}
        self.inputs = [self.input(one) for one in self.graph.input if one.name not in self.known]
        for node in self.graph.node:
            self.lower(node)
        self.outputs = [self.output(self.values[one.name]) for one in self.graph.output]
        self.unsigned = [
            self.is_signed and one.type.tensor_type.elem_type == onnx.TensorProto.UINT8 for one in self.graph.output
        ]

    def content(self):
        return self.model.pack(self.inputs, self.outputs)

    # --- Types and codes

    def wants_signed(self, node):
        """Whether uint8 codes go with int8 codes or with a scale for each channel: then they count 128 less, as int8."""
        if node.op_type.startswith(("QLinear", "QGemm")):
            arrays = [self.known[name] for name in node.input if name in self.known]
            places = [one for one in self.graph.input if one.name in node.input]
            types = {numpy_helper.from_array(one).data_type for one in arrays}
            types |= {one.type.tensor_type.elem_type for one in places}
            has_channels = any(one.dtype == numpy.float32 and one.size > 1 for one in arrays)
            return onnx.TensorProto.UINT8 in types and (onnx.TensorProto.INT8 in types or has_channels)
        return False

    def recoded(self, array):
        if self.is_signed and array.dtype == numpy.uint8:
            return (array ^ 128).view(numpy.int8)
        return array

    def recoded_back(self, array, was_unsigned):
        return array.view(numpy.uint8) ^ 128 if was_unsigned and array.dtype == numpy.int8 else array

    def constant(self, array):
        return Value.constant(self.recoded(array))

    @staticmethod
    def constant_again(x):
        """A constant stored anew, for each reader may have parameters of its own."""
        return x if x.array is None else Value.constant(x.array)

    def input(self, one):
        kind = one.type.tensor_type
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        dtype = numpy.dtype(numpy.int8) if self.is_signed and dtype == numpy.uint8 else dtype
        operators(dtype in TYPES, "no tensors of %s" % dtype)
        operators(all(d.HasField("dim_value") for d in kind.shape.dim), "a shape that is not known before it runs")
        self.values[one.name] = Value(dtype, [d.dim_value for d in kind.shape.dim])
        return self.values[one.name]

    def output(self, value):
        """A graph output that is a constant or an input is what an operator moves."""
        if value.array is None and value not in self.inputs:
            return value
        return self.moved(value, "RESHAPE", value.shape, [Value.constant(value.shape, numpy.int32)], "ReshapeOptions")

    def lower(self, proto):
        name = (VENDOR + ":" if proto.domain == VENDOR else "") + proto.op_type
        if name not in HANDLERS:
            raise Rejected("no way to say %s" % name, "lower")
        operands = [self.values[one] if one else None for one in proto.input]
        try:
            made = HANDLERS[name](self, Node(proto, self.opset), operands + [None] * (12 - len(operands)))
        except Conflict:
            raise Skip("codes are read with two pairs of scale and zero point", SPECIFICATION) from None
        made = made if isinstance(made, list) else [made]
        self.values.update(zip(proto.output, made))

    # --- Parameters

    def parameters(self, scale, zero_point, dtype):
        """Scale and zero point as arrays, the latter in the codes' own type."""
        specification(scale.rank < 2 and scale.dtype == numpy.float32, "parameters by row or block, or of another type")
        scale = scale.array.reshape(-1)
        specification((scale > 0).all() and numpy.isfinite(scale).all(), "a scale that is not positive")
        if zero_point is None:
            zeros = numpy.zeros(scale.size, numpy.int64) - (128 if self.is_signed and dtype == numpy.uint8 else 0)
        else:
            zeros = zero_point.array.reshape(-1).astype(numpy.int64)
        zeros = zeros[:1] if (zeros == zeros[0]).all() else zeros
        specification(zeros.size in (1, scale.size), "zero points by channel and one scale")
        return scale, numpy.broadcast_to(zeros, scale.shape)

    def annotated(self, value, scale, zero_point, axis=0):
        """Gives `value` its parameters, which are per tensor where `axis` is None."""
        scale, zeros = self.parameters(scale, zero_point, value.dtype)
        specification(scale.size == 1 or axis is not None, "activations have parameters per tensor")
        specification(value.dtype != numpy.int16 or not zeros.any(), "int16 codes have zero point 0")
        annotate(value, scale, zeros, axis if scale.size > 1 else 0)
        return scale, zeros

    def activation(self, value, scale, zero_point):
        return self.annotated(value, scale, zero_point, None)

    def weights(self, value, scale, zero_point, axis, arrange):
        """A constant with its axes arranged, `axis` being that of the channels afterwards."""
        operators(value.array is not None, "weights that are computed")
        weights = Value.constant(arrange(value.array))
        scale, zeros = self.annotated(weights, scale, zero_point, axis)
        specification(weights.dtype == numpy.uint8 or not zeros.any(), "int8 weights have zero point 0")
        specification(weights.dtype != numpy.int8 or (weights.array != -128).all(), "int8 weights have no code -128")
        return weights, scale

    def bias(self, value, x_scale, w_scale, channels):
        """Absent it is zeros, as converters make it: CONV_2D has to have one."""
        operators(value is None or value.array is not None, "a bias that is computed")
        bias = Value.constant(value.array.reshape(-1) if value else numpy.zeros(channels), numpy.int32)
        annotate(bias, x_scale * w_scale, numpy.zeros(w_scale.size), 0)
        return bias

    # --- Operators

    def emit(self, name, inputs, dtype, shape, kind="", **options):
        out = Value(dtype, shape)
        for one in [*inputs, out]:
            operators(one is None or one.dtype in TYPES, "no tensors of %s" % (one and one.dtype))
        self.model.emit(name, inputs, [out], kind, **options)
        return out

    def moved(self, x, name, shape, others=(), kind="", **options):
        """An operator that moves codes and changes none."""
        out = self.emit(name, [x, *others], x.dtype, shape, kind, **options)
        share(out, x)
        return out

    def reshape(self, x, shape):
        if x.shape == tuple(shape):
            return x
        return self.moved(x, "RESHAPE", shape, [Value.constant(shape, numpy.int32)], "ReshapeOptions", newShape=list(shape))

    def transpose(self, x, order):
        if list(order) == list(range(x.rank)):
            return x
        shape = [x.shape[axis] for axis in order]
        return self.moved(x, "TRANSPOSE", shape, [Value.constant(order, numpy.int32)], "TransposeOptions")

    def channels_last(self, x):
        """N, C and one or two axes as N, H, W, C."""
        operators(x.rank in (3, 4), "convolutions and pools have one or two axes")
        x = self.reshape(x, x.shape[:2] + (1,) + x.shape[2:]) if x.rank == 3 else x
        return self.transpose(x, (0, 2, 3, 1))

    def channels_first(self, x, rank):
        x = self.transpose(x, (0, 3, 1, 2))
        return self.reshape(x, x.shape[:2] + x.shape[3:]) if rank == 3 else x

    def pad(self, x, pads, lowest=False):
        """x with [before, after] of each axis; with its zero point, or with the lowest number."""
        amounts = Value.constant(pads, numpy.int32)
        shape = [size + sum(pair) for size, pair in zip(x.shape, pads)]
        if not lowest:
            return self.moved(x, "PAD", shape, [amounts], "PadOptions")
        least = Value.constant(numpy.array([LOWEST[str(x.dtype)]], x.dtype))
        share(x, least)
        return self.moved(x, "PADV2", shape, [amounts, least], "PadV2Options")


class Window:
    """The window of a convolution or pool over H and W, and its padding as TensorFlow Lite has it."""

    def __init__(self, node, sizes, kernel):
        ones, self.sizes = [1] * len(kernel), tuple(sizes)
        pads = node.get("pads", [0] * 2 * len(kernel))
        self.kernel = self.two(kernel, 1)
        self.strides, self.dilations = self.two(node.get("strides", ones), 1), self.two(node.get("dilations", ones), 1)
        begin, end = self.two(pads[: len(kernel)], 0), self.two(pads[len(kernel) :], 0)
        spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations)]
        out = [-(-size // stride) for size, stride in zip(sizes, self.strides)]
        totals = [max((o - 1) * s + span - size, 0) for o, s, span, size in zip(out, self.strides, spans, sizes)]
        same = [(total // 2, total - total // 2) for total in totals]
        auto = node.get("auto_pad", "NOTSET")
        if auto == "SAME_UPPER":
            pairs = same
        elif auto == "SAME_LOWER":
            pairs = [pair[::-1] for pair in same]
        else:
            pairs = [(0, 0)] * 2 if auto == "VALID" else list(zip(begin, end))
        padded = [size + sum(pair) for size, pair in zip(sizes, pairs)]
        self.has_rest = any((size - span) % s for size, span, s in zip(padded, spans, self.strides))
        self.shape = [(size - span) // s + 1 for size, span, s in zip(padded, spans, self.strides)]
        operators(all(one > 0 for one in self.shape), "a window beyond its input")
        self.is_same = pairs == same and self.shape == out
        self.is_padded = any(map(any, pairs))
        self.pads = [(0, 0), *pairs, (0, 0)]
        self.padding = SAME if self.is_padded and self.is_same else VALID

    @staticmethod
    def two(values, missing):
        return [missing] * (2 - len(values)) + list(values)

    def apply(self, lowering, x, lowest=False):
        """x, padded by an operator of its own where SAME and VALID do not say it."""
        return lowering.pad(x, self.pads, lowest) if self.is_padded and self.padding == VALID else x

    @property
    def steps(self):
        return {"padding": self.padding, "strideH": self.strides[0], "strideW": self.strides[1]}

    @property
    def dilated(self):
        return {"dilationHFactor": self.dilations[0], "dilationWFactor": self.dilations[1]}


# --- Convolutions and products


def filters(w, groups, channels):
    """The filters' axes as the operator wants them, and which is that of the output's channels."""
    if groups == channels and groups > 1:
        return lambda a: numpy.moveaxis(a.reshape(a.shape[0], *a.shape[-2:]), 0, -1)[None], 3
    return lambda a: numpy.moveaxis(a, 1, -1), 0


def flat(arrange):
    """One axis of a filter as two."""
    return lambda a: arrange(a.reshape(a.shape[:2] + (1,) + a.shape[2:]) if a.ndim == 3 else a)


def convolve(self, node, x, weights, bias, w):
    groups, channels = node.get("group", 1), x.shape[1]
    window = Window(node, x.shape[2:] if x.rank == 4 else (1, *x.shape[2:]), w.shape[2:])
    is_depthwise = groups == channels and groups > 1
    nhwc = window.apply(self, self.channels_last(x))
    shape = [x.shape[0], *window.shape, w.shape[0]]
    options = {**window.steps, **window.dilated}
    name, kind = "CONV_2D", "Conv2DOptions"
    if is_depthwise:
        name, kind = "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions"
        options["depthMultiplier"] = w.shape[0] // channels
    return self.emit(name, [nhwc, weights, bias], x.dtype, shape, kind, **options)


@handles("QLinearConv")
def qlinear_conv(self, node, x):
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias = x[:9]
    operators(x.rank in (3, 4), "integer convolutions have one or two axes")
    specification(x.dtype == w.dtype == (y_zero.dtype if y_zero else x.dtype), "codes of two types")
    arrange, axis = filters(w, node.get("group", 1), x.shape[1])
    s_x, _ = self.activation(x, x_scale, x_zero)
    weights, s_w = self.weights(w, w_scale, w_zero, axis, flat(arrange))
    y = convolve(self, node, x, weights, self.bias(bias, s_x, s_w, w.shape[0]), w)
    self.activation(y, y_scale, y_zero)
    return self.channels_first(y, x.rank)


@handles("Conv")
def conv(self, node, x):
    x, w, bias = x[:3]
    operators(x.rank in (3, 4) and w.array is not None, "weights that are computed, or three axes")
    arrange, _ = filters(w, node.get("group", 1), x.shape[1])
    weights = Value.constant(flat(arrange)(w.array))
    bias = bias or Value.constant(numpy.zeros(w.shape[0], numpy.float32))
    return self.channels_first(convolve(self, node, x, weights, bias, w), x.rank)


def fully_connected(self, x, weights, bias, shape):
    return self.emit("FULLY_CONNECTED", [x, weights, bias], x.dtype, shape, "FullyConnectedOptions", keepNumDims=True)


def product_shape(a, b):
    batch = numpy.broadcast_shapes(a[:-2], b[:-2])
    return [*batch, a[-2], b[-1]]


@handles("QLinearMatMul")
def qlinear_matmul(self, node, x):
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = x[:8]
    operators(a.rank > 1 and b.rank > 1, "products of vectors")
    specification(a.dtype == b.dtype == y_zero.dtype, "codes of two types")
    self.activation(a, a_scale, a_zero)
    shape = product_shape(a.shape, b.shape)
    if b.array is not None and b.rank == 2:
        weights, _ = self.weights(b, b_scale, b_zero, 0, numpy.transpose)
        y = fully_connected(self, a, weights, None, shape)
    else:
        specification(a.dtype == numpy.int8, "BATCH_MATMUL has int8 codes")
        b = self.constant_again(b)
        self.activation(b, b_scale, b_zero)
        y = self.emit("BATCH_MATMUL", [a, b], a.dtype, shape, "BatchMatMulOptions")
    self.activation(y, y_scale, y_zero)
    return y


@handles("com.microsoft:QGemm")
def qgemm(self, node, x):
    a, a_scale, a_zero, b, b_scale, b_zero, bias, y_scale, y_zero = x[:9]
    specification(node.get("alpha", 1.0) == 1, "alpha next to the scales")
    specification(y_scale is not None, "a float output of integer products")
    specification(a.dtype == b.dtype, "codes of two types")
    s_a, _ = self.activation(a, a_scale, a_zero)
    a = self.transpose(a, (1, 0)) if node.get("transA", 0) else a
    arrange = numpy.array if node.get("transB", 0) else numpy.transpose
    weights, s_b = self.weights(b, b_scale, b_zero, 0, arrange)
    columns = weights.shape[0]
    operators(bias is None or bias.shape in ((columns,), (1, columns)), "a bias that is no row")
    y = fully_connected(self, a, weights, self.bias(bias, s_a, s_b, columns), [a.shape[0], columns])
    self.activation(y, y_scale, y_zero)
    return y


@handles("MatMul")
def matmul(self, node, x):
    a, b = x[:2]
    operators(a.dtype == numpy.float32 and a.rank > 1 and b.rank > 1, "products of vectors, or of integers")
    return self.emit("BATCH_MATMUL", [a, b], a.dtype, product_shape(a.shape, b.shape), "BatchMatMulOptions")


@handles("Gemm")
def gemm(self, node, x):
    a, b, bias = x[:3]
    operators(a.dtype == numpy.float32, "products of integers")
    operators(node.get("alpha", 1.0) == 1 and node.get("beta", 1.0) == 1, "alpha and beta")
    a = self.transpose(a, (1, 0)) if node.get("transA", 0) else a
    b = b if node.get("transB", 0) else self.transpose(b, (1, 0))
    operators(bias is None or bias.shape == (b.shape[0],), "a bias that is no vector")
    return fully_connected(self, a, b, bias, [a.shape[0], b.shape[0]])


# --- Codes to numbers and back


def code_type(self, node, zero_point):
    if zero_point is not None:
        return zero_point.dtype
    number = node.get("output_dtype", 0) or onnx.TensorProto.UINT8
    dtype = helper.tensor_dtype_to_np_dtype(number)
    return numpy.dtype(numpy.int8) if self.is_signed and dtype == numpy.uint8 else dtype


@handles("QuantizeLinear com.microsoft:QuantizeLinear")
def quantize_linear(self, node, x):
    x, scale, zero_point = x[:3]
    dtype = code_type(self, node, zero_point)
    operators(x.dtype == numpy.float32 and dtype in TYPES, "QUANTIZE from %s to %s" % (x.dtype, dtype))
    operators(node.get("precision", 0) in (0, onnx.TensorProto.FLOAT), "a precision")
    operators(x.rank > 0, "a scalar")
    y = self.emit("QUANTIZE", [x], dtype, x.shape, "QuantizeOptions")
    self.annotated(y, scale, zero_point, node.get("axis", 1) % x.rank)
    return y


@handles("DequantizeLinear com.microsoft:DequantizeLinear")
def dequantize_linear(self, node, x):
    x, scale, zero_point = x[:3]
    operators(x.dtype in (numpy.int8, numpy.uint8, numpy.int16), "DEQUANTIZE of %s" % x.dtype)
    operators(x.rank > 0, "a scalar")
    x = self.constant_again(x)
    scales, _ = self.annotated(x, scale, zero_point, node.get("axis", 1) % x.rank)
    operators(x.dtype != numpy.int16 or scales.size == 1, "DEQUANTIZE of int16 by channel")
    return self.emit("DEQUANTIZE", [x], numpy.float32, x.shape, "DequantizeOptions")


# --- Element by element


def binary(self, node, x, name, kind):
    a, b = x[:2]
    operators(a.dtype != numpy.int64 or name != "DIV", "DIV of int64")
    operators(a.dtype in (numpy.float32, numpy.int32, numpy.int64), "%s of codes without parameters" % name)
    return self.emit(name, [a, b], a.dtype, numpy.broadcast_shapes(a.shape, b.shape), kind)


for one, more in {
    "Add": ("ADD", "AddOptions"), "Sub": ("SUB", "SubOptions"), "Mul": ("MUL", "MulOptions"), "Div": ("DIV", "DivOptions"),
}.items():
    handles(one, *more)(binary)


def compare(self, node, x, name, kind):
    a, b = x[:2]
    operators(a.dtype not in (numpy.int8, numpy.uint8), "%s of codes without parameters" % name)
    return self.emit(name, [a, b], numpy.bool_, numpy.broadcast_shapes(a.shape, b.shape), kind)


for one, more in {
    "Equal": ("EQUAL", "EqualOptions"), "Less": ("LESS", "LessOptions"), "Greater": ("GREATER", "GreaterOptions"),
}.items():
    handles(one, *more)(compare)


def extreme(self, node, x, name):
    """Maximum or minimum of any number of operands, codes of one pair of parameters among them."""
    given = [one for one in x if one is not None]
    operators(len(given) > 1, "one operand")
    out = given[0]
    for other in given[1:]:
        out = self.moved(out, name, numpy.broadcast_shapes(out.shape, other.shape), [other], "MaximumMinimumOptions")
        share(out, other)
    return out


handles("Max", "MAXIMUM")(extreme)
handles("Min", "MINIMUM")(extreme)


def unary(self, node, x, name, kind="", options=lambda node: {}):
    operators(x[0].dtype == numpy.float32, "%s of codes without parameters" % name)
    return self.emit(name, [x[0]], x[0].dtype, x[0].shape, kind, **options(node))


for one, more in {
    "Relu": ("RELU",), "Sigmoid": ("LOGISTIC",), "Tanh": ("TANH",), "Sqrt": ("SQRT",), "Exp": ("EXP", "ExpOptions"),
    "Abs": ("ABS", "AbsOptions"), "HardSwish": ("HARD_SWISH", "HardSwishOptions"),
    "LeakyRelu": ("LEAKY_RELU", "LeakyReluOptions", lambda node: {"alpha": node.get("alpha", 0.01)}),
}.items():
    handles(one, *more)(unary)


def qlinear_binary(self, node, x, name, kind):
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = x[:8]
    specification(a.dtype == b.dtype, "codes of two types")
    a, b = self.constant_again(a), self.constant_again(b)
    self.activation(a, a_scale, a_zero)
    self.activation(b, b_scale, b_zero)
    y = self.emit(name, [a, b], a.dtype, numpy.broadcast_shapes(a.shape, b.shape), kind)
    self.activation(y, y_scale, y_zero)
    return y


handles("com.microsoft:QLinearAdd", "ADD", "AddOptions")(qlinear_binary)
handles("com.microsoft:QLinearMul", "MUL", "MulOptions")(qlinear_binary)


def is_restricted(self, scale, zero_point, dtype):
    """The one pair of parameters that LOGISTIC and SOFTMAX have for their output: 0 to 255/256 in steps of 1/256."""
    scale, zeros = self.parameters(scale, zero_point, dtype)
    return (scale == 1 / 256).all() and (zeros == LOWEST[str(dtype)]).all()


@handles("com.microsoft:QLinearSigmoid")
def qlinear_sigmoid(self, node, x):
    x, x_scale, x_zero, y_scale, y_zero = x[:5]
    specification(is_restricted(self, y_scale, y_zero, x.dtype), "LOGISTIC has the output scale 1/256 and the lowest zero point")
    self.activation(x, x_scale, x_zero)
    y = self.emit("LOGISTIC", [x], x.dtype, x.shape)
    self.activation(y, y_scale, y_zero)
    return y


@handles("com.microsoft:QLinearLeakyRelu")
def qlinear_leaky_relu(self, node, x):
    x, x_scale, x_zero, y_scale, y_zero = x[:5]
    self.activation(x, x_scale, x_zero)
    y = self.emit("LEAKY_RELU", [x], x.dtype, x.shape, "LeakyReluOptions", alpha=node.get("alpha", 0.01))
    self.activation(y, y_scale, y_zero)
    return y


def softmax_along(self, x, axis, is_flat, finish):
    """SOFTMAX is along the last axis: of x with that axis moved there, or with all from it on as one."""
    order = [one for one in range(x.rank) if one != axis] + [axis]
    if is_flat:
        rows = int(numpy.prod(x.shape[:axis], dtype=numpy.int64))
        moved = self.reshape(x, (rows, int(numpy.prod(x.shape[axis:], dtype=numpy.int64))))
    else:
        moved = self.transpose(x, order)
    y = self.emit("SOFTMAX", [moved], x.dtype, moved.shape, "SoftmaxOptions", beta=1.0)
    finish(y)
    return self.reshape(y, x.shape) if is_flat else self.transpose(y, [int(one) for one in numpy.argsort(order)])


@handles("Softmax")
def softmax(self, node, x):
    is_flat = self.opset < 13
    return softmax_along(self, x[0], node.get("axis", 1 if is_flat else -1) % x[0].rank, is_flat, lambda y: None)


@handles("com.microsoft:QLinearSoftmax")
def qlinear_softmax(self, node, x):
    x, x_scale, x_zero, y_scale, y_zero = x[:5]
    specification(is_restricted(self, y_scale, y_zero, x.dtype), "SOFTMAX has the output scale 1/256 and the lowest zero point")
    self.activation(x, x_scale, x_zero)
    axis = node.get("axis", -1) % x.rank
    return softmax_along(self, x, axis, node.get("opset", 0) < 13, lambda y: self.activation(y, y_scale, y_zero))


@handles("Where")
def where(self, node, x):
    condition, a, b = x[:3]
    shape = numpy.broadcast_shapes(condition.shape, a.shape, b.shape)
    y = self.emit("SELECT_V2", [condition, a, b], a.dtype, shape, "SelectV2Options")
    share(y, a, b)
    return y


@handles("com.microsoft:QLinearWhere")
def qlinear_where(self, node, x):
    condition, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = x[:9]
    a, b = self.constant_again(a), self.constant_again(b)
    self.activation(a, a_scale, a_zero)
    self.activation(b, b_scale, b_zero)
    y = where(self, node, [condition, a, b])
    self.activation(y, y_scale, y_zero)
    return y


# --- Pools and means


def pool(self, node, x, name):
    """Channels are last already where com.microsoft's attribute says so."""
    x, is_last = x[0], node.get("channels_last", 0)
    operators(x.rank in (3, 4), "pools have one or two axes")
    sizes = x.shape[1:-1] if is_last else x.shape[2:]
    channels = x.shape[-1 if is_last else 1]
    window = Window(node, sizes if x.rank == 4 else (1, *sizes), node.get("kernel_shape"))
    operators(window.dilations == [1, 1], "pools have no dilations")
    operators(not node.get("ceil_mode", 0) or not window.has_rest, "pools have no ceil_mode")
    operators(not node.get("storage_order", 0) and len(node.proto.output) == 1, "indices of the greatest")
    is_average = name == "AVERAGE_POOL_2D"
    if is_average and window.is_padded:
        if node.get("count_include_pad", 0):
            window.padding = VALID
        operators(node.get("count_include_pad", 0) or window.padding == SAME, "pools have SAME and VALID padding alone")
    nhwc = self.reshape(x, (x.shape[0], *window.sizes, channels)) if is_last else self.channels_last(x)
    nhwc = window.apply(self, nhwc, not is_average)
    shape = [x.shape[0], *window.shape, channels]
    y = self.emit(name, [nhwc], x.dtype, shape, "Pool2DOptions", **window.steps,
                  filterHeight=window.kernel[0], filterWidth=window.kernel[1])
    share(y, nhwc)
    if is_last:
        return self.reshape(y, shape if x.rank == 4 else (shape[0], shape[2], channels))
    return self.channels_first(y, x.rank)


handles("AveragePool", "AVERAGE_POOL_2D")(pool)
handles("MaxPool", "MAX_POOL_2D")(pool)


@handles("com.microsoft:QLinearAveragePool")
def qlinear_average_pool(self, node, x):
    x, x_scale, x_zero, y_scale, y_zero = x[:5]
    self.activation(x, x_scale, x_zero)
    y = pool(self, node, [x], "AVERAGE_POOL_2D")
    self.activation(y, y_scale, y_zero)
    return y


def reduced(self, x, axes, keeps, name):
    axes = sorted(axis % x.rank for axis in axes)
    shape = [1 if axis in axes else size for axis, size in enumerate(x.shape) if keeps or axis not in axes]
    operators(shape and x.dtype != numpy.bool_, "a scalar, or a reduction of bool")
    return self.emit(name, [x, Value.constant(axes, numpy.int32)], x.dtype, shape, "ReducerOptions", keepDims=bool(keeps))


def reduce(self, node, x, name):
    x, axes = x[:2]
    operators(x.dtype == numpy.float32 or name == "REDUCE_MAX", "%s of codes without parameters" % name)
    axes = fixed(axes) if axes is not None else node.get("axes")
    if not axes and node.get("noop_with_empty_axes", 0):
        return x
    y = reduced(self, x, axes or range(x.rank), node.get("keepdims", 1), name)
    if name == "REDUCE_MAX":
        share(y, x)
    return y


handles("ReduceMean", "MEAN")(reduce)
handles("ReduceSum", "SUM")(reduce)
handles("ReduceMax", "REDUCE_MAX")(reduce)


def global_pool(self, node, x, name):
    operators(x[0].rank > 2, "no axes to reduce")
    y = reduced(self, x[0], range(2, x[0].rank), True, name)
    if name == "REDUCE_MAX":
        share(y, x[0])
    return y


handles("GlobalAveragePool", "MEAN")(global_pool)
handles("GlobalMaxPool", "REDUCE_MAX")(global_pool)


@handles("com.microsoft:QLinearGlobalAveragePool")
def qlinear_global_average_pool(self, node, x):
    x, x_scale, x_zero, y_scale, y_zero = x[:5]
    self.activation(x, x_scale, x_zero)
    y = reduced(self, x, range(1, x.rank - 1) if node.get("channels_last", 0) else range(2, x.rank), True, "MEAN")
    self.activation(y, y_scale, y_zero)
    return y


@handles("com.microsoft:QLinearReduceMean")
def qlinear_reduce_mean(self, node, x):
    x, x_scale, x_zero, y_scale, y_zero = x[:5]
    self.activation(x, x_scale, x_zero)
    y = reduced(self, x, node.get("axes") or range(x.rank), node.get("keepdims", 1), "MEAN")
    self.activation(y, y_scale, y_zero)
    return y


# --- Moves


@handles("com.microsoft:QLinearConcat")
def qlinear_concat(self, node, x):
    y_scale, y_zero = x[:2]
    parts = [one for one in x[2:] if one is not None]
    operands = [self.constant_again(one) for one in parts[0::3]]
    for operand, scale, zero_point in zip(operands, parts[1::3], parts[2::3]):
        self.activation(operand, scale, zero_point)
    y = joined(self, operands, node.get("axis"))
    self.activation(y, y_scale, y_zero)
    if y.dtype == numpy.int8:
        share(y, *operands)  # the specification's restriction; uint8, which was before it, converts
    return y


def fixed(value):
    """The numbers of an operand that has to be constant, as a list."""
    operators(value.array is not None, "a shape, axis or amount that is computed")
    return value.array.reshape(-1).tolist()


def joined(self, operands, axis):
    axis %= operands[0].rank
    shape = list(operands[0].shape)
    shape[axis] = sum(one.shape[axis] for one in operands)
    return self.emit("CONCATENATION", operands, operands[0].dtype, shape, "ConcatenationOptions", axis=axis)


@handles("Concat")
def concat(self, node, x):
    operands = [one for one in x if one is not None]
    y = joined(self, operands, node.get("axis"))
    share(y, *operands)
    return y


@handles("Identity Reshape Flatten Squeeze Unsqueeze")
def reshape(self, node, x):
    return self.reshape(x[0], new_shape(self, node, x[0].shape, x[1]))


def new_shape(self, node, shape, control):
    kind = node.proto.op_type
    given = fixed(control) if control is not None else node.get("axes")
    if kind == "Identity":
        return shape
    if kind == "Flatten":
        axis = node.get("axis", 1)
        axis = axis + len(shape) if axis < 0 else axis
        return [int(numpy.prod(part, dtype=numpy.int64)) for part in (shape[:axis], shape[axis:])]
    operators(shape or kind != "Squeeze", "a scalar")
    if kind == "Squeeze":
        axes = [axis % len(shape) for axis in given] if given is not None else [i for i, size in enumerate(shape) if size == 1]
        return [size for axis, size in enumerate(shape) if axis not in axes]
    if kind == "Unsqueeze":
        rank = len(shape) + len(given)
        axes, left = [axis % rank for axis in given], list(shape)
        return [1 if axis in axes else left.pop(0) for axis in range(rank)]
    sizes = [shape[i] if size == 0 and not node.get("allowzero", 0) else size for i, size in enumerate(given)]
    rest = int(numpy.prod([size for size in sizes if size != -1], dtype=numpy.int64))
    return [int(numpy.prod(shape, dtype=numpy.int64)) // max(rest, 1) if size == -1 else size for size in sizes]


@handles("Transpose")
def transpose(self, node, x):
    return self.transpose(x[0], node.get("perm") or range(x[0].rank)[::-1])


@handles("Slice")
def slice_(self, node, x):
    x, starts, ends, axes, steps = x[:5]
    starts, ends = (fixed(one) if one else node.get(name) for one, name in ((starts, "starts"), (ends, "ends")))
    axes = fixed(axes) if axes else node.get("axes", range(len(starts)))
    steps = fixed(steps) if steps else [1] * len(starts)
    bounds = [(0, size, 1) for size in x.shape]
    for axis, start, end, step in zip(axes, starts, ends, steps):
        axis %= x.rank
        operators(step > 0, "negative steps")
        bounds[axis] = *slice(start, end, step).indices(x.shape[axis])[:2], step
    shape = [max(-(-(end - start) // step), 0) for start, end, step in bounds]
    operands = [Value.constant(list(one), numpy.int32) for one in zip(*bounds)]
    return self.moved(x, "STRIDED_SLICE", shape, operands, "StridedSliceOptions")


@handles("Split")
def split(self, node, x):
    x, sizes = x[:2]
    axis, count = node.get("axis", 0) % x.rank, len(node.proto.output)
    sizes = fixed(sizes) if sizes else node.get("split")
    if not sizes:
        part = -(-x.shape[axis] // count)
        sizes = [part] * (count - 1) + [x.shape[axis] - part * (count - 1)]
    operators(x.dtype in (numpy.float32, numpy.uint8, numpy.int8, numpy.int16, numpy.int32, numpy.int64), "SPLIT_V of %s" % x.dtype)
    outs = [Value(x.dtype, x.shape[:axis] + (size,) + x.shape[axis + 1 :]) for size in sizes]
    operands = [x, Value.constant(sizes, numpy.int32), Value.constant(axis, numpy.int32)]
    self.model.emit("SPLIT_V", operands, outs, "SplitVOptions", numSplits=count)
    share(x, *outs)
    return outs


@handles("Gather")
def gather(self, node, x):
    x, indices = x[:2]
    axis = node.get("axis", 0) % x.rank
    operators(indices.array is not None and (indices.array >= 0).all(), "indices from the end")
    shape = x.shape[:axis] + indices.shape + x.shape[axis + 1 :]
    return self.moved(x, "GATHER", shape, [indices], "GatherOptions", axis=axis)


@handles("Expand")
def expand(self, node, x):
    shape = numpy.broadcast_shapes(x[0].shape, tuple(fixed(x[1])))
    return self.moved(x[0], "BROADCAST_TO", shape, [Value.constant(shape, numpy.int32)], "BroadcastToOptions")


@handles("Tile")
def tile(self, node, x):
    repeats = fixed(x[1])
    shape = [size * count for size, count in zip(x[0].shape, repeats)]
    return self.moved(x[0], "TILE", shape, [Value.constant(repeats, numpy.int32)], "TileOptions")


@handles("DepthToSpace SpaceToDepth")
def depth_to_space(self, node, x):
    x, block, kind = x[0], node.get("blocksize"), node.proto.op_type
    operators(kind == "SpaceToDepth" or node.get("mode", "DCR") == "DCR", "the order CRD")
    operators(x.dtype not in (numpy.int16, numpy.bool_), "%s of %s" % (kind, x.dtype))
    n, c, h, w = x.shape
    name, shape = "SPACE_TO_DEPTH", [n, h // block, w // block, c * block * block]
    if kind == "DepthToSpace":
        name, shape = "DEPTH_TO_SPACE", [n, h * block, w * block, c // (block * block)]
    y = self.moved(self.channels_last(x), name, shape, [], kind + "Options", blockSize=block)
    return self.channels_first(y, 4)


@handles("Pad")
def pad(self, node, x):
    x, pads, value, axes = x[:4]
    pads = fixed(pads) if pads else node.get("pads")
    axes = [axis % x.rank for axis in (fixed(axes) if axes else range(x.rank))]
    pairs = [(0, 0)] * x.rank
    for i, axis in enumerate(axes):
        pairs[axis] = pads[i], pads[i + len(axes)]
    operators(min(map(min, pairs)) >= 0, "padding that cuts")
    shape = [size + sum(pair) for size, pair in zip(x.shape, pairs)]
    amounts, mode = Value.constant(pairs, numpy.int32), node.get("mode", "constant")
    operators(mode in ("constant", "reflect"), "padding by %s" % mode)
    if mode == "reflect":
        return self.moved(x, "MIRROR_PAD", shape, [amounts], "MirrorPadOptions", mode=0)
    if value is None:
        code = LOWEST[str(x.dtype)] if self.is_signed and x.dtype == numpy.int8 else node.get("value", 0)
        value = Value.constant(numpy.array([code], x.dtype))
    value = Value.constant(value.array.reshape(1))
    share(value, x)
    return self.moved(x, "PADV2", shape, [amounts, value], "PadV2Options")


CAPABILITIES = [(name, "", EXCLUDED, REASON) for name in sorted(HANDLERS)]
