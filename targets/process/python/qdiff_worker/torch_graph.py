# SPDX-License-Identifier: Apache-2.0
"""Float and QDQ ONNX models as torch graphs of the kind that torch.export gives: aten operators, one for one.

Workers around torch share it. Each operator becomes what a torch module that exports to it would have: a product with a
constant matrix is aten.linear, a Reshape that merges neighbouring axes is aten.flatten, a Transpose of two axes is
aten.transpose. What has no translation is refused by name.
"""

import onnx
import torch
from onnx import numpy_helper
from torch._subclasses.fake_tensor import FakeTensorMode

from .protocol import Rejected

aten = torch.ops.aten
codes = torch.ops.quantized_decomposed

PLAIN = {
    "Abs": aten.abs.default,
    "Add": aten.add.Tensor,
    "Div": aten.div.Tensor,
    "Mul": aten.mul.Tensor,
    "Neg": aten.neg.default,
    "Relu": aten.relu.default,
    "Sigmoid": aten.sigmoid.default,
    "Sub": aten.sub.Tensor,
    "Tanh": aten.tanh.default,
}
INTEGERS = {
    torch.uint8: (0, 255), torch.int8: (-128, 127), torch.int16: (-32768, 32767), torch.uint16: (0, 65535),
    torch.int32: (-(2**31), 2**31 - 1),
}


def refuse(node, why):
    raise Rejected("%s '%s': %s" % (node.op_type, node.name, why), "import")


class TorchGraph:
    """`module`: the torch.fx.GraphModule. `node_of`: what computes each ONNX tensor. `made`: for each torch node that
    stands for an ONNX node, that node and which of its inputs each argument is. `axes`: for a constant that was
    transposed for torch, the ONNX axis of torch's axis 0.

    With `signed`, for what knows int8 only, every uint8 tensor holds its codes less 128. Their zero points, being such
    tensors, become less by as much, so that no real number changes. `recoded_outputs`: for each output, whether it is one."""

    def __init__(self, data, signed=False):
        try:
            model = onnx.load_model_from_string(data)
        except Exception as exception:
            raise Rejected("no ONNX model: %s" % exception, "load") from None
        self.opset = max(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
        self.root, self.graph, self.fake = torch.nn.Module(), torch.fx.Graph(), FakeTensorMode()
        self.node_of, self.made, self.axes, self.constants, self.dequantized = {}, {}, {}, {}, {}
        self.signed = signed
        for tensor in model.graph.initializer:
            self.constants[tensor.name] = self.recode(torch.from_numpy(numpy_helper.to_array(tensor).copy()))
        self.inputs = [value for value in model.graph.input if value.name not in self.constants]
        for value in self.inputs:
            self.add_input(value)
        for node in model.graph.node:
            self.add_node(node)
        self.outputs = [value.name for value in model.graph.output]
        unsigned = onnx.TensorProto.UINT8
        self.recoded_outputs = [signed and value.type.tensor_type.elem_type == unsigned for value in model.graph.output]
        self.graph.output(tuple(self.value(name) for name in self.outputs))
        self.module = torch.fx.GraphModule(self.root, self.graph)

    def recode(self, tensor):
        return (tensor ^ 128).view(torch.int8) if self.signed and tensor.dtype is torch.uint8 else tensor

    def add_input(self, value):
        kind = value.type.tensor_type
        shape = [dim.dim_value if dim.HasField("dim_value") else 1 for dim in kind.shape.dim]
        dtype = torch.from_numpy(onnx.numpy_helper.to_array(onnx.TensorProto(data_type=kind.elem_type, dims=[0]))).dtype
        dtype = torch.int8 if self.signed and dtype is torch.uint8 else dtype
        node = self.graph.placeholder("input_%d" % len(self.node_of))
        node.meta["val"] = self.fake.from_tensor(torch.empty(shape, dtype=dtype))
        self.node_of[value.name] = node

    def add_node(self, node):
        self.attributes = {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}
        if node.op_type == "Constant" and "value" in self.attributes:
            value = torch.from_numpy(numpy_helper.to_array(self.attributes["value"]).copy())
            self.constants[node.output[0]] = self.recode(value)
            return
        handler = getattr(self, "op_" + node.op_type, None)
        if node.domain not in ("", "ai.onnx") or len(node.output) != 1:
            refuse(node, "no such operator with %d outputs here" % len(node.output))
        if node.op_type in PLAIN:
            arguments = [self.value(name) for name in node.input]
            made = self.call(PLAIN[node.op_type], *arguments)
        elif handler:
            made = handler(node)
        else:
            refuse(node, "no translation to torch")
        self.node_of[node.output[0]] = made
        self.made[made] = node

    # What handlers are made of.

    def call(self, target, *arguments, **named):
        node = self.graph.call_function(target, arguments, named)
        real = torch.fx.node.map_arg(arguments, lambda one: one.meta["val"])
        try:
            with self.fake:
                node.meta["val"] = target(*real, **named)
        except Exception as exception:
            raise Rejected("%s: %s" % (target, exception), "import") from None
        return node

    def constant(self, tensor, name):
        attribute = "constant_%d" % sum(1 for _ in self.root.buffers())
        self.root.register_buffer(attribute, tensor)
        node = self.graph.get_attr(attribute)
        node.meta["val"] = self.fake.from_tensor(tensor)
        node.meta["onnx"] = name
        return node

    def value(self, name):
        """The torch node of an ONNX tensor."""
        if name not in self.node_of:
            self.node_of[name] = self.constant(self.constants[name], name)
        return self.node_of[name]

    def transposed(self, name):
        """A constant matrix, transposed: torch keeps weights of linear layers as [out, in]."""
        key = name + "/transposed"
        if key not in self.node_of:
            self.node_of[key] = self.constant(self.constants[name].t().contiguous(), name)
            self.axes[name] = 1
        return self.node_of[key]

    def layer_weight(self, name, turned):
        """The node of a weight as linear layers have it, from a constant or the codes of one; None where it is neither."""
        if name in self.constants:
            return self.value(name) if turned else self.transposed(name)
        if turned or name not in self.dequantized:
            return self.value(name) if name in self.dequantized else None
        target, axis, codes_name, rest = self.dequantized[name]
        rest = rest if axis is None else rest[:2] + [1 - axis] + rest[3:]
        return self.call(target, self.transposed(codes_name), *rest)

    def shape(self, name):
        return list(self.value(name).meta["val"].shape)

    def integers(self, node, position, attribute, otherwise=None):
        """A list that is an input or, in older opsets, an attribute."""
        if attribute in self.attributes:
            return list(self.attributes[attribute])
        if position < len(node.input) and node.input[position]:
            if node.input[position] not in self.constants:
                refuse(node, "input %d has to be constant" % position)
            return [int(one) for one in self.constants[node.input[position]].flatten()]
        return otherwise

    # Operators.

    def window(self, node, spatial, kernel, extents):
        strides = list(self.attributes.get("strides", [1] * spatial))
        dilations = list(self.attributes.get("dilations", [1] * spatial))
        pads = list(self.attributes.get("pads", [0] * 2 * spatial))
        mode = self.attributes.get("auto_pad", b"NOTSET")
        if mode in (b"SAME_UPPER", b"SAME_LOWER"):
            for i in range(spatial):
                total = max(0, (-(-extents[i] // strides[i]) - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1 - extents[i])
                less, more = total // 2, total - total // 2
                pads[i], pads[spatial + i] = (less, more) if mode == b"SAME_UPPER" else (more, less)
        if spatial not in (1, 2):
            refuse(node, "%d spatial axes" % spatial)
        return strides, dilations, pads[:spatial], pads[spatial:]

    def padded(self, x, begin, end, value):
        """x, padded by an operator of its own where the ends differ; and the padding that is left."""
        if begin == end:
            return x, begin
        pads = [one for pair in zip(reversed(begin), reversed(end)) for one in pair]
        return self.call(aten.constant_pad_nd.default, x, pads, value), [0] * len(begin)

    def op_Conv(self, node):
        weight = self.shape(node.input[1])
        spatial = len(weight) - 2
        extents = self.shape(node.input[0])[2:]
        strides, dilations, begin, end = self.window(node, spatial, weight[2:], extents)
        x, pads = self.padded(self.value(node.input[0]), begin, end, 0.0)
        bias = self.value(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        target = aten.conv1d.default if spatial == 1 else aten.conv2d.default
        return self.call(target, x, self.value(node.input[1]), bias, strides, pads, dilations, self.attributes.get("group", 1))

    def op_ConvTranspose(self, node):
        weight = self.shape(node.input[1])
        spatial = len(weight) - 2
        strides, dilations, begin, end = self.window(node, spatial, weight[2:], self.shape(node.input[0])[2:])
        if begin != end or "output_shape" in self.attributes or self.attributes.get("auto_pad", b"NOTSET") != b"NOTSET":
            refuse(node, "explicit padding that is equal at both ends")
        more = list(self.attributes.get("output_padding", [0] * spatial))
        bias = self.value(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        target = aten.conv_transpose1d.default if spatial == 1 else aten.conv_transpose2d.input
        groups = self.attributes.get("group", 1)
        x, w = self.value(node.input[0]), self.value(node.input[1])
        return self.call(target, x, w, bias, strides, begin, more, groups, dilations)

    def op_Gemm(self, node):
        """aten.linear where it is one, x times a constant plus a vector of the outputs; else aten.addmm."""
        alpha, beta = float(self.attributes.get("alpha", 1)), float(self.attributes.get("beta", 1))
        turned = [bool(self.attributes.get(name, 0)) for name in ("transA", "transB")]
        bias = self.value(node.input[2]) if len(node.input) > 2 and node.input[2] else None
        outputs = self.shape(node.input[1])[0 if turned[1] else 1]
        vector = bias is None or list(bias.meta["val"].shape) == [outputs]
        plain = alpha == 1 and beta == 1 and vector and not turned[0]
        weight = self.layer_weight(node.input[1], turned[1]) if plain else None
        if weight is not None:
            return self.call(aten.linear.default, self.value(node.input[0]), weight, bias)
        factors = [self.value(name) for name in node.input[:2]]
        factors = [self.call(aten.t.default, one) if turn else one for one, turn in zip(factors, turned)]
        if bias is None and alpha == 1:
            return self.call(aten.mm.default, *factors)
        if bias is None:
            bias = self.constant(torch.zeros(outputs, dtype=factors[0].meta["val"].dtype), "")
        return self.call(aten.addmm.default, bias, *factors, beta=beta, alpha=alpha)

    def op_MatMul(self, node):
        weight = self.layer_weight(node.input[1], False) if len(self.shape(node.input[1])) == 2 else None
        if weight is not None:
            return self.call(aten.linear.default, self.value(node.input[0]), weight)
        return self.call(aten.matmul.default, self.value(node.input[0]), self.value(node.input[1]))

    def op_Flatten(self, node):
        shape = self.shape(node.input[0])
        axis = self.attributes.get("axis", 1)
        axis += len(shape) if axis < 0 else 0
        x = self.value(node.input[0])
        if axis == 1 and len(shape) > 1:
            return self.call(aten.flatten.using_ints, x, 1)
        rows = torch.Size(shape[:axis]).numel()
        return self.call(aten.view.default, x, [rows, torch.Size(shape).numel() // max(rows, 1)])

    def op_Reshape(self, node):
        shape = self.shape(node.input[0])
        wanted = self.integers(node, 1, "shape")
        copies = not self.attributes.get("allowzero", 0)
        wanted = [shape[i] if one == 0 and copies else one for i, one in enumerate(wanted)]
        if -1 in wanted:
            known = -torch.Size(wanted).numel()
            wanted[wanted.index(-1)] = torch.Size(shape).numel() // max(known, 1)
        x = self.value(node.input[0])
        for first in range(len(wanted)):
            last = first + len(shape) - len(wanted)
            if last > first and shape[:first] == wanted[:first] and shape[last + 1 :] == wanted[first + 1 :]:
                return self.call(aten.flatten.using_ints, x, first, last)
        return self.call(aten.view.default, x, wanted)

    def op_Transpose(self, node):
        rank = len(self.shape(node.input[0]))
        order = list(self.attributes.get("perm", range(rank - 1, -1, -1)))
        moved = [axis for axis in range(rank) if order[axis] != axis]
        if len(moved) == 2:
            return self.call(aten.transpose.int, self.value(node.input[0]), *moved)
        return self.call(aten.permute.default, self.value(node.input[0]), order)

    def op_Concat(self, node):
        return self.call(aten.cat.default, [self.value(name) for name in node.input], self.attributes["axis"])

    def op_Unsqueeze(self, node):
        made, rank = self.value(node.input[0]), len(self.shape(node.input[0]))
        axes = self.integers(node, 1, "axes")
        for axis in sorted(axis + (rank + len(axes) if axis < 0 else 0) for axis in axes):
            made = self.call(aten.unsqueeze.default, made, axis)
        return made

    def op_Squeeze(self, node):
        made, shape = self.value(node.input[0]), self.shape(node.input[0])
        axes = self.integers(node, 1, "axes", [i for i, one in enumerate(shape) if one == 1])
        for axis in sorted((axis % len(shape) for axis in axes), reverse=True):
            made = self.call(aten.squeeze.dim, made, axis)
        return made

    def op_Slice(self, node):
        made, rank = self.value(node.input[0]), len(self.shape(node.input[0]))
        starts, ends = self.integers(node, 1, "starts"), self.integers(node, 2, "ends")
        axes = self.integers(node, 3, "axes", list(range(len(starts))))
        steps = self.integers(node, 4, "steps", [1] * len(starts))
        if min(steps, default=1) < 1:
            refuse(node, "a negative step")
        for start, end, axis, step in zip(starts, ends, axes, steps):
            made = self.call(aten.slice.Tensor, made, axis % rank, start, end, step)
        return made

    def op_Expand(self, node):
        shape = torch.broadcast_shapes(self.shape(node.input[0]), self.integers(node, 1, "shape"))
        return self.call(aten.expand.default, self.value(node.input[0]), list(shape))

    def op_Clip(self, node):
        bounds = []
        for position, name in enumerate(("min", "max"), 1):
            bound = self.attributes.get(name)
            if bound is None and position < len(node.input) and node.input[position]:
                if node.input[position] not in self.constants:
                    refuse(node, "bounds have to be constant")
                bound = float(self.constants[node.input[position]])
            bounds.append(bound)
        if None in bounds:
            return self.call(aten.clamp.default, self.value(node.input[0]), *bounds)
        return self.call(aten.hardtanh.default, self.value(node.input[0]), *bounds)

    def op_MaxPool(self, node):
        kernel = list(self.attributes["kernel_shape"])
        strides, dilations, begin, end = self.window(node, len(kernel), kernel, self.shape(node.input[0])[2:])
        x, pads = self.padded(self.value(node.input[0]), begin, end, float("-inf"))
        if self.attributes.get("ceil_mode", 0) or len(kernel) != 2:
            refuse(node, "two spatial axes, ceil_mode 0")
        return self.call(aten.max_pool2d.default, x, kernel, strides, pads, dilations)

    def op_AveragePool(self, node):
        kernel = list(self.attributes["kernel_shape"])
        strides, dilations, begin, end = self.window(node, len(kernel), kernel, self.shape(node.input[0])[2:])
        if begin != end or set(dilations) != {1} or self.attributes.get("ceil_mode", 0):
            refuse(node, "padding that is equal at both ends, no dilations, ceil_mode 0")
        target = aten.avg_pool1d.default if len(kernel) == 1 else aten.avg_pool2d.default
        counted = bool(self.attributes.get("count_include_pad", 0))
        return self.call(target, self.value(node.input[0]), kernel, strides, begin, False, counted)

    def op_GlobalAveragePool(self, node):
        if len(self.shape(node.input[0])) != 4:
            refuse(node, "two spatial axes")
        return self.call(aten.adaptive_avg_pool2d.default, self.value(node.input[0]), [1, 1])

    def op_ReduceMean(self, node):
        rank = len(self.shape(node.input[0]))
        axes = self.integers(node, 1, "axes", list(range(rank)))
        return self.call(aten.mean.dim, self.value(node.input[0]), axes, bool(self.attributes.get("keepdims", 1)))

    def op_Softmax(self, node):
        shape = self.shape(node.input[0])
        axis = self.attributes.get("axis", -1 if self.opset >= 13 else 1) % len(shape)
        if self.opset < 13 and torch.Size(shape[axis:]).numel() != shape[axis]:
            refuse(node, "over several axes at a time, as before opset 13")
        return self.call(aten.softmax.int, self.value(node.input[0]), axis)

    def op_LeakyRelu(self, node):
        return self.call(aten.leaky_relu.default, self.value(node.input[0]), self.attributes.get("alpha", 0.01))

    def op_Identity(self, node):
        return self.call(aten.alias.default, self.value(node.input[0]))

    # QuantizeLinear and DequantizeLinear.

    def parameters(self, node, dtype):
        if any(name and name not in self.constants for name in node.input[1:]):
            refuse(node, "constant parameters only")
        if self.attributes.get("block_size", 0) or dtype not in INTEGERS:
            refuse(node, "no blocks, and integers of at least a byte")
        if self.signed and len(node.input) < 3:
            refuse(node, "a zero point, which says what sign the codes have")
        scale = self.constants[node.input[1]]
        zero = self.constants[node.input[2]] if len(node.input) > 2 else torch.zeros_like(scale, dtype=dtype)
        low, high = INTEGERS[dtype]
        if scale.numel() == 1:
            return None, [float(scale), int(zero), low, high, dtype]
        axis = self.attributes.get("axis", 1) % len(self.shape(node.input[0]))
        scales, zeros = self.constant(scale.to(torch.float32), ""), self.constant(zero.to(torch.int64), "")
        return axis, [scales, zeros, axis, low, high, dtype]

    def op_QuantizeLinear(self, node):
        dtype = self.constants[node.input[2]].dtype if len(node.input) > 2 and node.input[2] in self.constants else torch.uint8
        axis, rest = self.parameters(node, dtype)
        target = codes.quantize_per_tensor.default if axis is None else codes.quantize_per_channel.default
        if axis is not None:  # its kernel wants them so
            rest[0] = self.constant(self.constants[node.input[1]].to(torch.float64), "")
        return self.call(target, self.value(node.input[0]), *rest)

    def op_DequantizeLinear(self, node):
        axis, rest = self.parameters(node, self.value(node.input[0]).meta["val"].dtype)
        if rest[-1] is torch.int32:  # a bias, which torch keeps in float
            return self.bias(node)
        target = codes.dequantize_per_tensor.default if axis is None else codes.dequantize_per_channel.default
        if node.input[0] in self.constants:
            self.dequantized[node.output[0]] = target, axis, node.input[0], rest
        return self.call(target, self.value(node.input[0]), *rest)

    def bias(self, node):
        if node.input[0] not in self.constants:
            refuse(node, "int32 only as a constant")
        scale = self.constants[node.input[1]].to(torch.float64)
        return self.constant((self.constants[node.input[0]].to(torch.float64) * scale).to(torch.float32), "")
