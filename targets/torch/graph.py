# SPDX-License-Identifier: Apache-2.0
"""An ONNX model, run by torch: node by node, and a DequantizeLinear, operator, QuantizeLinear block by its fused kernel."""

import math
from collections import Counter

import kernels
import onnx
import torch
from kernels import dequantize, need, quantize, quantized, same_type, scalar, with_parameters, zero_of
from qdiff_worker.protocol import Tensor
from torch.nn import functional

DTYPES = {
    1: torch.float32, 2: torch.uint8, 3: torch.int8, 4: torch.uint16, 5: torch.int16, 6: torch.int32, 7: torch.int64,
    9: torch.bool, 10: torch.float16, 11: torch.float64, 12: torch.uint32, 13: torch.uint64, 16: torch.bfloat16,
}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}

PLAIN = {
    "Abs": torch.abs, "Add": torch.add, "Equal": torch.eq, "Erf": torch.erf, "Exp": torch.exp, "Greater": torch.gt,
    "HardSwish": functional.hardswish, "Less": torch.lt, "MatMul": torch.matmul, "Mul": torch.mul, "Not": torch.logical_not,
    "Reciprocal": torch.reciprocal, "Relu": torch.relu, "Sigmoid": torch.sigmoid, "Sqrt": torch.sqrt, "Sub": torch.sub,
    "Tanh": torch.tanh, "Where": torch.where,
}
# Those that quantized tensors have, with their input's scale and zero point for the result.
SAME = "AveragePool Clip Flatten GlobalAveragePool MaxPool Relu Reshape Slice Split Squeeze Transpose Unsqueeze".split()


def to_torch(number, dims, data):
    need(number in DTYPES, "a type of tensor: ONNX's number %d" % number)
    dims = tuple(dims)
    if math.prod(dims) == 0:
        return torch.zeros(dims, dtype=DTYPES[number])
    return torch.frombuffer(bytearray(data), dtype=DTYPES[number]).reshape(dims)


def from_torch(value):
    if value.is_quantized:
        value = value.int_repr()
    dense = torch.empty(value.numel(), dtype=value.dtype).copy_(value.flatten())
    return Tensor(NUMBERS[value.dtype], value.shape, dense.view(torch.uint8).numpy().tobytes())


def integers(tensor):
    return None if tensor is None else [int(one) for one in tensor.flatten()]


class Node:
    def __init__(self, proto, opset):
        self.op = ("com.microsoft:" if proto.domain == "com.microsoft" else "") + proto.op_type
        self.inputs, self.outputs, self.opset = list(proto.input), list(proto.output), opset
        self.attributes = {item.name: onnx.helper.get_attribute_value(item) for item in proto.attribute}
        self.run = getattr(self, self.op.replace("com.microsoft:", "Vendor"), None)
        if self.op in PLAIN:
            self.run = PLAIN[self.op]
        need(self.run, "the operator " + self.op)

    def get(self, name, otherwise=None):
        return self.attributes.get(name, otherwise)

    # Shapes and moves.

    def axes(self, tensor, rank):
        axes = integers(tensor) if tensor is not None else self.get("axes")
        return None if axes is None else [axis + rank if axis < 0 else axis for axis in axes]

    def Identity(self, x):
        return x

    def Cast(self, x, *_):
        need(self.attributes["to"] in DTYPES, "a cast to ONNX's type %d" % self.attributes["to"])
        return x.to(DTYPES[self.attributes["to"]])

    def Concat(self, *tensors):
        return torch.cat(tensors, self.attributes["axis"])

    def ConstantOfShape(self, shape):
        value = self.get("value")
        value = torch.zeros(1) if value is None else to_torch(value.data_type, value.dims, onnx.numpy_helper.to_array(value).tobytes())
        return torch.full(integers(shape), value.flatten()[0].item(), dtype=value.dtype)

    def DepthToSpace(self, x):
        need(self.get("mode", b"DCR") == b"CRD", "pixels in another order than torch.pixel_shuffle's")
        return torch.pixel_shuffle(x, self.attributes["blocksize"])

    def Expand(self, x, shape):
        return torch.broadcast_to(x, torch.broadcast_shapes(x.shape, tuple(integers(shape))))

    def Flatten(self, x):
        axis = self.get("axis", 1)
        axis += x.dim() if axis < 0 else 0
        return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))

    def Gather(self, x, indices):
        axis = self.get("axis", 0) % max(x.dim(), 1)
        return x[(slice(None),) * axis + (indices.long(),)]

    def Pad(self, x, pads=None, value=None, axes=None):
        need(self.get("mode", b"constant") == b"constant", "padding of any axes by other than a constant")
        pads = integers(pads) if pads is not None else self.attributes["pads"]
        axes = self.axes(axes, x.dim()) or list(range(x.dim()))
        value = self.get("value", 0.0) if value is None else scalar(value)
        ends = {axis: (pads[i], pads[len(axes) + i]) for i, axis in enumerate(axes)}
        return functional.pad(x, [one for axis in reversed(range(x.dim())) for one in ends.get(axis, (0, 0))], value=value)

    def Range(self, start, limit, delta):
        return torch.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)

    def Reshape(self, x, shape):
        shape = integers(shape)
        if not self.get("allowzero", 0):
            shape = [x.shape[i] if one == 0 else one for i, one in enumerate(shape)]
        need(x.numel() or -1 not in shape, "a length to be found in a tensor without elements")
        return x.reshape(shape)

    def Shape(self, x):
        return torch.tensor(x.shape[slice(self.get("start"), self.get("end"))], dtype=torch.int64)

    def Slice(self, x, starts=None, ends=None, axes=None, steps=None):
        starts = integers(starts) if starts is not None else self.attributes["starts"]
        ends = integers(ends) if ends is not None else self.attributes["ends"]
        axes = self.axes(axes, x.dim()) or list(range(len(starts)))
        steps = integers(steps) or [1] * len(starts)
        need(min(steps, default=1) > 0, "slices with a negative step")
        cuts = [slice(None)] * x.dim()
        for start, end, axis, step in zip(starts, ends, axes, steps):
            cuts[axis] = slice(start, end, step)
        return x[tuple(cuts)]

    def Split(self, x, sizes=None):
        axis = self.get("axis", 0)
        sizes = integers(sizes) if sizes is not None else self.get("split")
        parts = list(torch.split(x, sizes or -(-x.shape[axis] // len(self.outputs)), axis))
        need(len(parts) == len(self.outputs), "parts without elements")
        return parts

    def Squeeze(self, x, axes=None):
        axes = self.axes(axes, x.dim())
        need(all(x.shape[axis] == 1 for axis in axes or []), "a refusal to squeeze an axis that is not 1")
        return x.squeeze() if axes is None else x.squeeze(tuple(axes))

    def Tile(self, x, repeats):
        return torch.tile(x, integers(repeats))

    def Transpose(self, x):
        return x.permute(self.get("perm", list(reversed(range(x.dim())))))

    def Unsqueeze(self, x, axes=None):
        axes = integers(axes) if axes is not None else self.attributes["axes"]
        for axis in sorted(axis + (x.dim() + len(axes) if axis < 0 else 0) for axis in axes):
            x = x.unsqueeze(axis)
        return x

    # Numbers.

    def Clip(self, x, low=None, high=None):
        low = self.get("min") if low is None else scalar(low)
        high = self.get("max") if high is None else scalar(high)
        return x if low is None and high is None else torch.clamp(x, low, high)

    def Div(self, a, b):
        return torch.div(a, b, rounding_mode=None if a.dtype.is_floating_point else "trunc")

    def LeakyRelu(self, x):
        return functional.leaky_relu(x, self.get("alpha", 0.01))

    def Max(self, first, *others):
        for other in others:
            first = torch.maximum(first, other)
        return first

    def Min(self, first, *others):
        for other in others:
            first = torch.minimum(first, other)
        return first

    def Pow(self, x, y):
        need(x.dtype is y.dtype, "a power with an exponent of another type")
        return torch.pow(x, y)

    def softmax_axis(self, x, axis, opset):
        axis = axis % max(x.dim(), 1)
        need(opset >= 13 or math.prod(x.shape[axis:]) == x.shape[axis], "a softmax over several axes at a time")
        return axis

    def Softmax(self, x):
        return torch.softmax(x, self.softmax_axis(x, self.get("axis", -1 if self.opset >= 13 else 1), self.opset))

    def BatchNormalization(self, x, weight, bias, mean, variance):
        need(x.dim() > 1, "a batch without channels")
        need(len(self.outputs) == 1 and not self.get("training_mode", 0), "what training needs")
        return functional.batch_norm(x, mean, variance, weight, bias, eps=self.get("epsilon", 1e-5))

    def reduce(self, x, axes):
        axes = self.axes(axes, x.dim())
        return None if not axes and self.get("noop_with_empty_axes", 0) else axes or list(range(x.dim()))

    def ReduceMax(self, x, axes=None):
        axes = self.reduce(x, axes)
        need(x.numel(), "a maximum of nothing")
        return x if axes is None else torch.amax(x, axes, bool(self.get("keepdims", 1)))

    def ReduceMean(self, x, axes=None):
        axes = self.reduce(x, axes)
        return x if axes is None else torch.mean(x, axes, bool(self.get("keepdims", 1)))

    def ReduceSum(self, x, axes=None):
        axes = self.reduce(x, axes)
        return x if axes is None else torch.sum(x, axes, bool(self.get("keepdims", 1)), dtype=x.dtype)

    # Windows.

    def window(self, spatial):
        """strides, padding before and after, dilations, groups, output_padding."""
        need(spatial in (1, 2, 3), "windows of %d axes" % spatial)
        need(self.get("auto_pad", b"NOTSET") == b"NOTSET" and "output_shape" not in self.attributes, "padding by name or output shape")
        strides, dilations = (list(self.get(name, [1] * spatial)) for name in ("strides", "dilations"))
        pads = list(self.get("pads", [0] * 2 * spatial))
        more = list(self.get("output_padding", [0] * spatial))
        return strides, pads[:spatial], pads[spatial:], dilations, self.get("group", 1), more

    def Conv(self, x, w, bias=None):
        spatial = w.dim() - 2
        strides, begin, end, dilations, groups, _ = self.window(spatial)
        if begin != end:
            x = functional.pad(x, [one for pair in zip(reversed(begin), reversed(end)) for one in pair])
            begin = [0] * spatial
        return getattr(functional, "conv%dd" % spatial)(x, w, bias, strides, begin, dilations, groups)

    def ConvTranspose(self, x, w, bias=None):
        spatial = w.dim() - 2
        strides, begin, end, dilations, groups, more = self.window(spatial)
        need(begin == end, "padding that differs at the ends")
        return getattr(functional, "conv_transpose%dd" % spatial)(x, w, bias, strides, begin, more, groups, dilations)

    def pool(self):
        kernel = list(self.attributes["kernel_shape"])
        strides, begin, end, dilations, _, _ = self.window(len(kernel))
        need(begin == end, "padding that differs at the ends")
        need(all(2 * pad <= length for pad, length in zip(begin, kernel)), "padding by more than half the window")
        return kernel, strides, begin, dilations, bool(self.get("ceil_mode", 0))

    def MaxPool(self, x):
        need(len(self.outputs) == 1, "indices as ONNX counts them")
        kernel, strides, pads, dilations, ceil = self.pool()
        coded = x.dtype in (torch.uint8, torch.int8)
        three = len(kernel) == 3 and torch.backends.quantized.engine == "qnnpack"
        need(not three or not (coded or x.is_quantized), "a maximum over three axes in QNNPACK")
        if coded:  # any scale: the codes are compared
            x = with_parameters(x, torch.ones(1), None)
        made = getattr(torch, "max_pool%dd" % len(kernel))(x, kernel, strides, pads, dilations, ceil)
        return made.int_repr() if coded else made

    def AveragePool(self, x):
        kernel, strides, pads, dilations, ceil = self.pool()
        need(set(dilations) == {1}, "averages with dilations")
        counted = bool(self.get("count_include_pad", 0))
        return getattr(functional, "avg_pool%dd" % len(kernel))(x, kernel, strides, pads, ceil, counted)

    def GlobalAveragePool(self, x):
        need(x.dim() in (3, 4, 5), "windows of %d axes" % (x.dim() - 2))
        return getattr(functional, "adaptive_avg_pool%dd" % (x.dim() - 2))(x, 1)

    def GlobalMaxPool(self, x):
        need(x.dim() in (3, 4, 5), "windows of %d axes" % (x.dim() - 2))
        return getattr(functional, "adaptive_max_pool%dd" % (x.dim() - 2))(x, 1)

    # Matrices.

    def Gemm(self, a, b, c=None):
        a, b = a.t() if self.get("transA", 0) else a, b.t() if self.get("transB", 0) else b
        alpha, beta = self.get("alpha", 1.0), self.get("beta", 1.0)
        if c is None and alpha == 1:
            return torch.mm(a, b)
        need(a.dtype.is_floating_point or alpha == beta == 1, "factors of an integer product")
        return torch.addmm(torch.zeros(1, dtype=a.dtype) if c is None else c, a, b, beta=0 if c is None else beta, alpha=alpha)

    def MatMulInteger(self, a, b, a_zero=None, b_zero=None):
        need(all(zero is None or not zero.any() for zero in (a_zero, b_zero)), "zero points in torch._int_mm")
        need(a.dim() == b.dim() == 2, "more than two matrices in torch._int_mm")
        return torch._int_mm(a, b)

    # Codes.

    def output_type(self, otherwise):
        number = self.get("output_dtype", 0)
        need(not number or number in DTYPES, "a type of tensor: ONNX's number %d" % number)
        return DTYPES[number] if number else otherwise

    def axis(self, x):
        axis = self.get("axis", 1)
        return axis + x.dim() if axis < 0 else axis

    def QuantizeLinear(self, x, scale, zero=None):
        dtype = self.output_type(torch.uint8) if zero is None else zero.dtype
        asked = self.get("precision", 0) or self.opset >= 23 and NUMBERS[scale.dtype]  # from opset 23 on the scale's type says it
        need(not asked or asked == 1, "a division in other than float32")
        if self.get("block_size", 0):
            return kernels.by_groups("quantize_per_channel_group", x, scale, zero, self.axis(x), self.get("block_size"), dtype)
        return quantize(x, scale, zero, self.axis(x), dtype)

    def DequantizeLinear(self, codes, scale, zero=None):
        dtype = self.output_type(scale.dtype)
        if self.get("block_size", 0):
            return kernels.by_groups("dequantize_per_channel_group", codes, scale, zero, self.axis(codes), self.get("block_size"), dtype)
        return dequantize(codes, scale, zero, self.axis(codes), dtype)

    VendorQuantizeLinear, VendorDequantizeLinear = QuantizeLinear, DequantizeLinear

    def same(self, x, x_scale, x_zero, ys, yz=None):
        """The quantized tensor, for kernels whose result has its parameters."""
        x_zero, yz = zero_of(x_scale, x_zero, x.dtype), zero_of(ys, yz, x.dtype)
        same_type("an average", x, yz)
        need((scalar(x_scale), scalar(x_zero)) == (scalar(ys), scalar(yz)), "an average with a scale and zero point of its own")
        need(not self.get("channels_last", 0), "channels last")
        return with_parameters(x, x_scale, x_zero)

    def VendorQLinearAveragePool(self, *operands):
        return self.AveragePool(self.same(*operands)).int_repr()

    def VendorQLinearGlobalAveragePool(self, *operands):
        return self.GlobalAveragePool(self.same(*operands)).int_repr()

    def VendorQLinearReduceMean(self, *operands):
        x = self.same(*operands)
        need(x.numel(), "a mean of nothing")
        return torch.mean(x, self.reduce(x, None), bool(self.get("keepdims", 1))).int_repr()

    def QLinearConv(self, x, xs, xz, w, ws, wz, ys, yz, bias=None):
        same_type("a convolution", x, yz)
        factors = kernels.float_bias(bias, xs, ws)
        return kernels.conv(with_parameters(x, xs, xz), with_parameters(w, ws, wz), factors, self.window(w.dim() - 2), (scalar(ys), scalar(yz))).int_repr()

    def QLinearMatMul(self, a, a_scale, a_zero, b, b_scale, b_zero, ys, yz):
        same_type("a product", a, yz)
        y, left = (scalar(ys), scalar(yz)), with_parameters(a, a_scale, a_zero, max(a.dim() - 2, 0))
        if b.dtype is torch.int8 and a.dtype is torch.uint8 and b.dim() == 2:
            return kernels.linear(left, with_parameters(b.t().contiguous(), b_scale.flatten(), b_zero.flatten()), None, y).int_repr()
        return kernels.product(left, with_parameters(b, b_scale, b_zero, b.dim() - 1), y).int_repr()

    def VendorQGemm(self, a, a_scale, a_zero, b, b_scale, b_zero, c=None, ys=None, yz=None):
        need(ys is not None, "a product in float32")
        need(self.get("alpha", 1.0) == 1, "a factor of a product")
        yz = zero_of(ys, yz, torch.uint8)
        same_type("a product", a, yz)
        need(c is None or c.dim() and c.numel() == c.shape[-1] == b.shape[0 if self.get("transB", 0) else 1], "a bias of another shape than the columns'")
        bias = kernels.float_bias(c, a_scale, b_scale)
        b = with_parameters(b if self.get("transB", 0) else b.t().contiguous(), b_scale, b_zero)
        a = with_parameters(a.t().contiguous() if self.get("transA", 0) else a, a_scale, a_zero)
        return kernels.linear(a, b, bias, (scalar(ys), scalar(yz))).int_repr()

    def binary(self, kernel, a, a_scale, a_zero, b, b_scale, b_zero, ys, yz):
        need(a_zero is not None or a.dtype is not torch.int8, "codes of two types")
        yz = zero_of(ys, yz, a.dtype)
        same_type(kernel.__name__, a, b, yz)
        left, right = with_parameters(a, a_scale, a_zero), with_parameters(b, b_scale, b_zero)
        return kernel(left, right, scalar(ys), scalar(yz)).int_repr()

    def VendorQLinearAdd(self, a, a_scale, a_zero, b, b_scale, b_zero, ys, yz=None):
        return self.binary(quantized.add, a, a_scale, a_zero, b, b_scale, b_zero, ys, yz)

    def VendorQLinearMul(self, a, a_scale, a_zero, b, b_scale, b_zero, ys, yz=None):
        return self.binary(quantized.mul, a, a_scale, a_zero, b, b_scale, b_zero, ys, yz)

    def VendorQLinearConcat(self, ys, yz, *others):
        same_type("quantized::cat", yz, *others[::3])
        parts = [with_parameters(*others[i : i + 3]) for i in range(0, len(others), 3)]
        return quantized.cat(parts, self.attributes["axis"], scalar(ys), scalar(yz)).int_repr()

    def unary(self, x, x_scale, x_zero, ys, yz):
        yz = zero_of(ys, yz, x.dtype)
        same_type("a function", x, yz)
        return with_parameters(x, x_scale, x_zero), (scalar(ys), scalar(yz))

    def VendorQLinearLeakyRelu(self, x, x_scale, x_zero, ys, yz=None):
        x, y = self.unary(x, x_scale, x_zero, ys, yz)
        return quantized.leaky_relu(x, self.get("alpha", 0.01), False, *y).int_repr()

    def VendorQLinearSigmoid(self, x, x_scale, x_zero, ys, yz=None):
        x, y = self.unary(x, x_scale, x_zero, ys, yz)
        return quantized.sigmoid(x, *y).int_repr()

    def VendorQLinearSoftmax(self, x, x_scale, x_zero, ys, yz=None):
        x, y = self.unary(x, x_scale, x_zero, ys, yz)
        return quantized.softmax(x, self.softmax_axis(x, self.get("axis", -1), self.attributes["opset"]), *y).int_repr()


class Graph:
    """A model. `maker`: the node that makes a tensor; `single`: the tensors that are read once."""

    def __init__(self, data):
        model = onnx.load_model_from_string(data)
        opset = max(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
        self.constants = {one.name: to_torch(one.data_type, one.dims, raw(one)) for one in model.graph.initializer}
        self.inputs = [value.name for value in model.graph.input if value.name not in self.constants]
        self.outputs = [value.name for value in model.graph.output]
        self.maker, uses = {}, Counter(self.outputs)
        for proto in model.graph.node:
            node = Node(proto, opset)
            uses.update(node.inputs)
            self.maker.update((name, node) for name in node.outputs if name)
        self.single = {name for name, count in uses.items() if count == 1}

    def run(self, inputs):
        self.values = dict(self.constants)
        self.values.update(zip(self.inputs, inputs))
        return [self.value(name) for name in self.outputs]

    def value(self, name):
        """Of a tensor, when it is asked for: what a fused kernel passes over is never computed."""
        if not name:
            return None
        if name not in self.values:
            node = self.maker[name]
            made = self.fuse(node) if node.op == "QuantizeLinear" else None
            if made is None:
                made = node.run(*map(self.value, node.inputs))
            self.values.update(zip(node.outputs, made if isinstance(made, list) else [made]))
        return self.values[name]

    # Blocks: as torch's own lowering (torch.ao.quantization.fx) takes them.

    def fuse(self, node):
        """The codes of a QuantizeLinear by a fused kernel; None where there is none for its block."""
        inner, relu = self.inner(node.inputs[0]), False
        if inner is not None and inner.op == "Relu" and self.inner(inner.inputs[0]) is not None:
            relu, inner = True, self.inner(inner.inputs[0])
            if inner.op not in ("Conv", "Add", "Mul", "Gemm", "MatMul"):
                return None
        handler = inner and getattr(self, "fuse_" + inner.op, self.keep if inner.op in SAME else None)
        scale, zero = map(self.value, (node.inputs + [""])[1:3])
        if not handler or scale.numel() != 1 or scale.dtype is not torch.float32:
            return None
        zero = zero_of(scale, zero, torch.uint8)
        if zero.dtype not in (torch.uint8, torch.int8):
            return None
        made = handler(inner, zero.dtype, (scalar(scale), scalar(zero)), relu)
        return None if made is None else made.int_repr()

    def inner(self, name):
        """The node that makes this tensor, if nothing else reads it."""
        return self.maker.get(name) if name in self.single else None

    def codes(self, name, dtype=None, turned=False):
        """The quantized tensor that a DequantizeLinear reads; of a matrix its transpose. None where it is none."""
        node = self.maker.get(name)
        if node is None or node.op != "DequantizeLinear" or node.get("block_size", 0):
            return None
        codes, scale, zero = map(self.value, (node.inputs + [""])[:3])
        if codes.dtype not in (torch.uint8, torch.int8) or scale.dtype is not torch.float32 or dtype not in (None, codes.dtype):
            return None
        if not (scale > 0).all():  # torch's kernels are for positive scales, its observers give no others
            return None
        axis = node.axis(codes)
        return with_parameters(codes.t().contiguous() if turned else codes, scale, zero, 1 - axis if turned else axis)

    def pair(self, inner, dtype):
        pair = [self.codes(name, dtype) for name in inner.inputs]
        return pair if all(one is not None and one.qscheme() is torch.per_tensor_affine for one in pair) else None

    def fuse_Conv(self, inner, dtype, y, relu):
        x, w = self.codes(inner.inputs[0], torch.uint8), self.codes(inner.inputs[1], torch.int8)
        if dtype is not torch.uint8 or x is None or w is None or x.qscheme() is not torch.per_tensor_affine or w.dim() not in (3, 4, 5):
            return None
        if w.qscheme() is not torch.per_tensor_affine and w.q_per_channel_axis() != 0:
            return None
        bias = self.value(inner.inputs[2]) if len(inner.inputs) > 2 else None
        return kernels.conv(x, w, bias, inner.window(w.dim() - 2), y, relu)

    def fuse_ConvTranspose(self, inner, dtype, y, relu):
        x, w = self.codes(inner.inputs[0], torch.uint8), self.codes(inner.inputs[1], torch.int8)
        if relu or dtype is not torch.uint8 or x is None or w is None or w.dim() not in (3, 4, 5):
            return None
        if {x.qscheme(), w.qscheme()} != {torch.per_tensor_affine}:
            return None
        bias = self.value(inner.inputs[2]) if len(inner.inputs) > 2 else None
        return kernels.conv(x, w, bias, inner.window(w.dim() - 2), y, relu, True)

    def fuse_BatchNormalization(self, inner, dtype, y, relu):
        x = self.codes(inner.inputs[0], dtype)
        if x is None or x.qscheme() is not torch.per_tensor_affine or x.dim() not in (2, 3, 4, 5) or len(inner.outputs) > 1:
            return None
        weight, bias, mean, variance = map(self.value, inner.inputs[1:5])
        kernel = {2: quantized.batch_norm1d, 3: quantized.batch_norm1d, 4: quantized.batch_norm2d, 5: quantized.batch_norm3d}[x.dim()]
        return kernel(x, weight, bias, mean, variance, inner.get("epsilon", 1e-5), *y)

    def fuse_linear(self, inner, dtype, y, relu, turned, bias):
        x, w = self.codes(inner.inputs[0], torch.uint8), self.codes(inner.inputs[1], torch.int8, not turned)
        if dtype is not torch.uint8 or x is None or w is None or x.qscheme() is not torch.per_tensor_affine or x.dim() < 2:
            return None
        if w.qscheme() is not torch.per_tensor_affine and w.q_per_channel_axis() != 0:
            return None
        return kernels.linear(x, w, bias, y, relu)

    def fuse_MatMul(self, inner, dtype, y, relu):
        if self.rank(inner.inputs[1]) == 2:
            made = self.fuse_linear(inner, dtype, y, relu, False, None)
            if made is not None:
                return made
        pair = self.pair(inner, dtype)
        return None if relu or pair is None else kernels.product(*pair, y)

    def fuse_Gemm(self, inner, dtype, y, relu):
        bias = self.value(inner.inputs[2]) if len(inner.inputs) > 2 else None
        columns = self.codes(inner.inputs[1])
        plain = not inner.get("transA", 0) and inner.get("alpha", 1.0) == inner.get("beta", 1.0) == 1
        turned = bool(inner.get("transB", 0))
        if not plain or columns is None or bias is not None and list(bias.shape) != [columns.shape[0 if turned else 1]]:
            return None
        return self.fuse_linear(inner, dtype, y, relu, turned, bias)

    def rank(self, name):
        node = self.maker.get(name)
        return self.value(node.inputs[0]).dim() if node is not None and node.op == "DequantizeLinear" else None

    def fuse_Add(self, inner, dtype, y, relu):
        pair = self.pair(inner, dtype)
        return None if pair is None else (quantized.add_relu if relu else quantized.add)(*pair, *y)

    def fuse_Mul(self, inner, dtype, y, relu):
        pair = self.pair(inner, dtype)
        return None if pair is None else (quantized.mul_relu if relu else quantized.mul)(*pair, *y)

    def fuse_Concat(self, inner, dtype, y, relu):
        parts = self.pair(inner, dtype)
        return None if parts is None else quantized.cat(parts, inner.attributes["axis"], *y)

    def fuse_LeakyRelu(self, inner, dtype, y, relu):
        one = self.pair(inner, dtype)
        return None if one is None else quantized.leaky_relu(*one, inner.get("alpha", 0.01), False, *y)

    def fuse_Sigmoid(self, inner, dtype, y, relu):
        one = self.pair(inner, dtype)
        return None if one is None else quantized.sigmoid(*one, *y)

    def fuse_HardSwish(self, inner, dtype, y, relu):
        one = self.pair(inner, dtype)
        return None if one is None else quantized.hardswish(*one, *y)

    def fuse_Softmax(self, inner, dtype, y, relu):
        one = self.pair(inner, dtype)
        if one is None:
            return None
        axis = inner.softmax_axis(one[0], inner.get("axis", -1 if inner.opset >= 13 else 1), inner.opset)
        return quantized.softmax(*one, axis, *y)

    def keep(self, inner, dtype, y, relu):
        """An operator whose result has its input's scale and zero point, if they are those wanted."""
        x = self.codes(inner.inputs[0], dtype)
        if x is None or x.qscheme() is not torch.per_tensor_affine or (x.q_scale(), x.q_zero_point()) != y or len(inner.outputs) > 1:
            return None
        return inner.run(x, *map(self.value, inner.inputs[1:]))


def raw(tensor):
    """The bytes of an initializer."""
    return tensor.raw_data if tensor.HasField("raw_data") else onnx.numpy_helper.to_array(tensor).tobytes()
