# SPDX-License-Identifier: Apache-2.0
"""A quantizer for tests, with neither NumPy nor onnx: static, QDQ, 8 bits. Right, or with one mistake.

    ./wrong_quantizer.py[mistake=relu-dropped]
    ./wrong_quantizer.py[tool=executorch-quant,mistake=snapped-apart]    judged by what that tool promises

The mistakes are those of targets/quantizer/wrong_testlib.h, seen from outside, and what only a worker can do.
"""

import os
import struct

from qdiff_worker import Crashed, Quantized, Rejected, Tensor, Worker, parse_config, serve, wire

MISTAKES = (
    "none", "axis-dropped", "axis-0-absent", "snapped-without-scale", "snapped-int8", "snapped-apart",
    "concat-on-input-0", "bias-scale", "zero-point-truncated", "not-widened", "relu-dropped", "option-ignored",
    "option-not-known", "per-channel-ignored", "weight-codes", "ranges-not-looked-at", "no-model", "falls-over",
    "dies", "hangs", "refuses",
)
FLOAT, UINT8, INT8, INT32 = 1, 2, 3, 6
MOVING = ("Concat", "Flatten", "Reshape", "Slice", "Transpose")
LIMITS = {UINT8: (0, 255), INT8: (-128, 127), INT32: (-(1 << 31), (1 << 31) - 1)}
PACKED = {UINT8: "B", INT8: "b", INT32: "i", FLOAT: "f"}


def float32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def clamp(number, limits):
    return min(max(number, limits[0]), limits[1])


class Node:
    def __init__(self, message):
        self.fields = wire.fields(message)
        self.inputs, self.outputs = ([str(v, "utf-8") for n, v in self.fields if n == i] for i in (1, 2))
        self.op = str(dict(self.fields)[4], "utf-8")
        self.integers = {}
        for number, value in self.fields:
            if number == 5:
                attribute = dict(wire.fields(value))
                self.integers[str(attribute[1], "utf-8")] = wire.signed(attribute.get(3, 0))

    def renamed(self, inputs, outputs, op):
        out = []
        for name in inputs:
            wire.put_bytes(out, 1, name.encode())
        for name in outputs:
            wire.put_bytes(out, 2, name.encode())
        for number, value in self.fields:
            if number == 4:
                wire.put_text(out, 4, op)
            elif number > 4 and op == self.op:
                wire.put_bytes(out, number, value)
        return b"".join(out)


def cast(op, inputs, output, axis=None):
    """A QuantizeLinear or DequantizeLinear."""
    out = []
    for name in inputs:
        wire.put_text(out, 1, name)
    wire.put_text(out, 2, output)
    wire.put_text(out, 4, op)
    if axis is not None:
        attribute = []
        wire.put_text(attribute, 1, "axis")
        wire.put_each_varint(attribute, 3, [axis])  # 0 counts
        wire.put_varint(attribute, 20, 2)
        wire.put_bytes(out, 5, b"".join(attribute))
    return b"".join(out)


class Tool:
    def __init__(self, request, mistake, shares):
        self.options, self.ranges = request.options, request.ranges
        self.mistake, self.shares = mistake, shares
        self.model = wire.fields(memoryview(request.model))
        self.graph = wire.fields(dict(self.model)[7])
        self.nodes = [Node(value) for number, value in self.graph if number == 1]
        self.constants = {}
        for number, value in self.graph:
            if number == 5:
                tensor = Tensor.decode(value)
                self.constants[tensor.name] = tensor
        types = [dict(wire.fields(value)).get(2) for number, value in self.graph if number in (11, 12)]
        opset = dict(wire.fields(dict(self.model)[8])).get(2, 0)
        if any(dict(wire.fields(dict(wire.fields(one))[1])).get(1) != FLOAT for one in types):
            raise Rejected("float32 only", "options")
        if self.options.per_channel and opset < 13:
            raise Rejected("per channel since opset 13", "options")
        self.outputs = [str(dict(wire.fields(value))[1], "utf-8") for number, value in self.graph if number == 12]
        self.producer = {name: node for node in self.nodes for name in node.outputs}
        self.made_nodes, self.made_constants, self.done = [], [], set()

    def numbers(self, name):
        return struct.unpack("<%df" % (len(self.constants[name].data) // 4), self.constants[name].data)

    # Parameters.

    def moves(self, node):
        return self.shares and node is not None and node.op in MOVING

    def start(self, name):
        """Where a chain of moving operators begins: at what another operator computes, if anything is."""
        node = self.producer.get(name)
        if not self.moves(node):
            return name
        inputs = node.inputs if node.op == "Concat" else node.inputs[:1]
        starts = [self.start(one) for one in inputs]
        computed = [one for one in starts if one in self.producer]
        return computed[0] if computed and self.mistake != "concat-on-input-0" else starts[0]

    def source(self, name):
        """The tensor whose range everything that shares parameters with `name` has."""
        if self.mistake == "snapped-apart":
            return name
        further = True
        while further:
            further = False
            for node in self.nodes:
                if self.moves(node) and name in node.inputs and not further:
                    name, further = node.outputs[0], True
        return self.start(name)

    def range(self, name):
        if name in self.ranges:
            low, high = self.ranges[name]
        else:
            low, high = min(self.numbers(name)), max(self.numbers(name))
        if not (low <= high and abs(low) < float("inf") and abs(high) < float("inf")):
            if self.mistake != "ranges-not-looked-at":
                raise Rejected("%s: %g to %g is no range" % (name, low, high), "ranges")
            low, high = -1.0, 1.0
        return (low, high) if self.mistake == "not-widened" else (min(low, 0.0), max(high, 0.0))

    def grid(self, name):
        """(type, scale, zero point)"""
        kind = self.options.activation_type
        limits, (low, high) = LIMITS[kind], self.range(self.source(name))
        scale = (high - low) / 255
        if scale < 2.0**-126:
            return kind, 1.0, 0
        zero = limits[0] - low / scale
        zero = clamp(int(zero) if self.mistake == "zero-point-truncated" else round(zero), limits)
        wanted = self.options.restricted_asymmetric and self.mistake not in ("option-ignored", "option-not-known")
        if wanted and (kind == UINT8 or self.mistake == "snapped-int8"):
            zero = limits[0] + 128 if low < 0 else limits[0]
            if self.mistake != "snapped-without-scale":
                scale = max(-low / 128, high / 127) if low < 0 else high / 255
        return kind, float32(scale), zero

    # The model.

    def constant(self, name, kind, dims, values):
        data = struct.pack("<%d%s" % (len(values), PACKED[kind]), *values)
        self.made_constants.append(Tensor(kind, dims, data, name).encode())

    def parameters(self, name, kind, scales, zeros):
        dims = [len(scales)] if len(scales) > 1 else []
        self.constant(name + "_scale", FLOAT, dims, scales)
        self.constant(name + "_zero_point", kind, dims, zeros)
        return [name + "_scale", name + "_zero_point"]

    def codes(self, name, made, kind, scales, zero, axis):
        """Quantizes a constant, one scale for each index of the axis; gives the name of what it becomes."""
        tensor, values = self.constants[name], []
        inner = 1
        for extent in tensor.dims[axis + 1 :]:
            inner *= extent
        for i, number in enumerate(self.numbers(name)):
            scale = scales[i // inner % len(scales)] if len(scales) > 1 else scales[0]
            code = round(number / scale) + zero
            code += self.mistake == "weight-codes" and kind == INT8 and i == 0
            values.append(int(clamp(code, LIMITS[kind])))
        self.constant(made + "_codes", kind, tensor.dims, values)
        names = self.parameters(made, kind, scales, [zero] * len(scales))
        bias = kind == INT32
        absent = (self.mistake == "axis-0-absent" and axis == 0) or (self.mistake == "axis-dropped" and not bias)
        written = axis if len(scales) > 1 and not absent else None
        self.made_nodes.append(cast("DequantizeLinear", [made + "_codes"] + names, made + "_dq", written))
        return made + "_dq"

    def channels(self, node):
        """The output channels' axis of the weight, None where it has one scale."""
        rank = len(self.constants[node.inputs[1]].dims)
        if not self.options.per_channel or self.mistake == "per-channel-ignored" or rank < 2:
            return None
        if node.op == "MatMul":
            return rank - 1
        if node.op == "Gemm":
            return 0 if node.integers.get("transB") else 1
        return 0 if node.op == "Conv" else 1

    def weight_scales(self, node):
        name, axis = node.inputs[1], self.channels(node)
        dims = self.constants[name].dims
        count = 1 if axis is None else dims[axis]
        inner = 1
        for extent in dims[(0 if axis is None else axis) + 1 :]:
            inner *= extent
        most = [0.0] * count
        for i, number in enumerate(self.numbers(name)):
            c = i // inner % count if count > 1 else 0
            most[c] = max(most[c], abs(number))
        return [float32(2 * one / 254) if one else 1.0 for one in most]

    def weight(self, node, k):
        """The name of what a Conv, Gemm or MatMul reads instead of its constant operand k > 0."""
        name, scales, axis = node.inputs[k], self.weight_scales(node), self.channels(node) or 0
        made = "%s_of_%s" % (name, node.outputs[0])
        if k == 1:
            return self.codes(name, made, INT8, scales, 0, axis)
        factor = self.grid(node.inputs[0])[1] * (1.0625 if self.mistake == "bias-scale" else 1)
        return self.codes(name, made, INT32, [float32(one * factor) for one in scales], 0, 0)

    def operand(self, node, k):
        name = node.inputs[k]
        constant = self.constants.get(name)
        if not name or (constant is not None and constant.data_type != FLOAT):
            return name
        if k > 0 and constant is not None and node.op in ("Conv", "ConvTranspose", "Gemm", "MatMul"):
            return self.weight(node, k)
        if constant is None and name not in self.ranges:
            return name
        if name in self.done:
            return name + "_dq"
        self.done.add(name)
        kind, scale, zero = self.grid(name)
        if constant is not None:
            return self.codes(name, name, kind, [scale], zero, 0)
        names = self.parameters(name, kind, [scale], [zero])
        self.made_nodes.append(cast("QuantizeLinear", [name] + names, name + "_q"))
        self.made_nodes.append(cast("DequantizeLinear", [name + "_q"] + names, name + "_dq"))
        return name + "_dq"

    def node(self, node):
        dropped = node.op == "Relu" and self.mistake == "relu-dropped"
        inputs = node.inputs if dropped else [self.operand(node, k) for k in range(len(node.inputs))]
        outputs = [name + "_raw" if name in self.outputs else name for name in node.outputs]
        self.made_nodes.append(node.renamed(inputs, outputs, "Identity" if dropped else node.op))
        for name in node.outputs:
            if name in self.outputs:
                kind, scale, zero = self.grid(name)
                names = self.parameters(name + "_out", kind, [scale], [zero])
                self.made_nodes.append(cast("QuantizeLinear", [name + "_raw"] + names, name + "_codes"))
                self.made_nodes.append(cast("DequantizeLinear", [name + "_codes"] + names, name))

    def quantized(self):
        for node in self.nodes:
            self.node(node)
        graph, model = [], []
        for number, messages in ((1, self.made_nodes), (5, self.made_constants)):
            for message in messages:
                wire.put_bytes(graph, number, message)
        for number, value in self.graph:
            constant = Tensor.decode(value) if number == 5 else None
            keeps = constant is not None and (constant.data_type != FLOAT or constant.name in self.outputs)
            if number in (2, 11, 12) or keeps:
                wire.put_bytes(graph, number, value)
        for number, value in self.model:
            if number == 7:
                wire.put_bytes(model, 7, b"".join(graph))
            elif isinstance(value, int):
                wire.put_varint(model, number, value)
            else:
                wire.put_bytes(model, number, value)
        return b"".join(model)


class Wrong(Worker):
    version = "1"
    quantizes = ["scheme=0", "format=0", "activation_type=2,3", "weight_type=3", "per_channel", "restricted_asymmetric"]

    def open(self, version, config):
        values = parse_config(config, tool=("wrong", "executorch-quant"), mistake=MISTAKES)
        self.name, self.mistake = values["tool"], values["mistake"]
        self.settings = "mistake=" + self.mistake

    def quantize(self, request):
        options = request.options
        here = {"scheme": ("static",), "format": ("qdq",), "activation_type": (UINT8, INT8), "weight_type": (INT8,)}
        for word, values in here.items():
            if getattr(options, word) not in values:
                raise Rejected("%s is one of %s here" % (word, values), "options")
        if options.exclude or options.reduce_range or options.symmetric_activations or options.symmetric_weights:
            raise Rejected("not here", "options")
        if self.mistake == "falls-over":
            raise Crashed("AssertionError at wrong_quantizer.py", "quantize")
        if self.mistake == "dies":
            os._exit(3)
        while self.mistake == "hangs":
            os.getpid()
        if self.mistake == "refuses":
            raise Rejected("nothing today", "quantize")
        model = Tool(request, self.mistake, self.name == "executorch-quant").quantized()
        ignored = ["restricted_asymmetric"] if self.mistake == "option-not-known" and options.restricted_asymmetric else []
        return Quantized(model[:-5] if self.mistake == "no-model" else model, ignored=ignored)


serve(Wrong)
