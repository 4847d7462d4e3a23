# SPDX-License-Identifier: Apache-2.0
"""The messages of worker.proto as Python values."""

from . import wire

try:
    import numpy
except ImportError:  # a worker may do without
    numpy = None

PROTOCOL = 1

REQUESTS = {2: "hello", 3: "prepare", 4: "run", 5: "release", 6: "quantize", 7: "ping"}
REPLIES = {"welcome": 2, "prepared": 3, "outputs": 4, "released": 5, "quantized": 6, "pong": 7}
SKIP, ERROR = 8, 9
REJECTED, OUT_OF_MEMORY, UNUSABLE, CRASHED = 0, 1, 2, 3


class Answer(Exception):
    """Raised by a worker to end a request in another way than with its result."""

    kind = REJECTED

    def __init__(self, text, stage=""):
        super().__init__(text)
        self.text, self.stage = str(text), stage


class Rejected(Answer):
    """The target refuses this model or these inputs. The text should be the target's own words."""


class OutOfMemory(Answer):
    kind = OUT_OF_MEMORY


class Unusable(Answer):
    """The target does not work here at all: a setting it does not have, a package that is missing."""

    kind = UNUSABLE


class Crashed(Answer):
    """The target fell over and the worker lived: an exception that is no refusal. The text says which and where."""

    kind = CRASHED


class Skip(Exception):
    """The worker declines this case, because of a public issue."""

    def __init__(self, reason, url):
        super().__init__(reason)
        self.reason, self.url = reason, url


class Capability:
    """What a target can do; the fields are those of qdiff/target.h."""

    def __init__(self, op, needs="", excludes="", reason=""):
        self.op, self.needs, self.excludes, self.reason = op, needs, excludes, reason

    def encode(self):
        out = []
        for number, text in enumerate((self.op, self.needs, self.excludes, self.reason), 1):
            wire.put_text(out, number, text)
        return b"".join(out)


# onnx.TensorProto.DataType to NumPy, for types that NumPy has.
NUMPY_NAMES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
    9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64",
}
DTYPES = {number: numpy.dtype(name) for number, name in NUMPY_NAMES.items()} if numpy else {}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}


class Tensor:
    """A tensor of any type: name, data_type (onnx.TensorProto.DataType), dims, data (bytes as ONNX's raw_data)."""

    __slots__ = ("name", "data_type", "dims", "data")

    def __init__(self, data_type, dims, data, name=""):
        self.name, self.data_type, self.dims, self.data = name, data_type, tuple(dims), data

    @classmethod
    def decode(cls, message):
        name, data_type, dims, data = "", 0, [], b""
        for number, value in wire.fields(message):
            if number == 1:
                if isinstance(value, int):
                    dims.append(wire.signed(value))
                else:  # packed
                    at = 0
                    while at < len(value):
                        one, at = wire.read_varint(value, at)
                        dims.append(wire.signed(one))
            elif number == 2:
                data_type = value
            elif number == 8:
                name = str(value, "utf-8", "replace")
            elif number == 9:
                data = value
        return cls(data_type, dims, data, name)

    def array(self):
        """As a NumPy array that may be written to; without NumPy, or for a type that it lacks, the Tensor itself."""
        dtype = DTYPES.get(self.data_type)
        if dtype is None:
            return self
        return numpy.frombuffer(self.data, dtype).reshape(self.dims).copy()

    @classmethod
    def of(cls, value):
        """A Tensor, or a NumPy array (or what becomes one) as a Tensor."""
        if isinstance(value, Tensor):
            return value
        if numpy is None:
            raise TypeError("a result is no Tensor, and there is no NumPy here")
        array = numpy.asarray(value)
        number = NUMBERS.get(array.dtype)
        if number is None:
            raise TypeError("a result has type %s, which ONNX's tensors lack" % array.dtype)
        return cls(number, array.shape, array.tobytes())

    def encode(self):
        out = []
        wire.put_each_varint(out, 1, self.dims)
        wire.put_varint(out, 2, self.data_type)
        wire.put_text(out, 8, self.name)
        wire.put_bytes(out, 9, self.data)
        return b"".join(out)


# Number and kind of each field of Options; the names are the words of Welcome.quantizes.
OPTION_FIELDS = {
    1: ("scheme", {0: "static", 1: "dynamic"}),
    2: ("format", {0: "qdq", 1: "qoperator"}),
    3: ("activation_type", int),
    4: ("weight_type", int),
    5: ("per_channel", bool),
    6: ("reduce_range", bool),
    7: ("symmetric_activations", bool),
    8: ("symmetric_weights", bool),
    9: ("restricted_asymmetric", bool),
    10: ("exclude", list),
    11: ("op", list),
    12: ("extra", list),
}


class Options:
    """Options of Quantize, every field with its default."""

    def __init__(self, **given):
        for name, kind in OPTION_FIELDS.values():
            setattr(self, name, kind[0] if isinstance(kind, dict) else kind())
        for name, value in given.items():
            setattr(self, name, value)

    @classmethod
    def decode(cls, message):
        options = cls()
        for number, value in wire.fields(message):
            if number not in OPTION_FIELDS:
                raise Rejected("option number %d is newer than this worker" % number, "options")
            name, kind = OPTION_FIELDS[number]
            if isinstance(kind, dict):
                if value not in kind:
                    raise Rejected("%s %d is newer than this worker" % (name, value), "options")
                setattr(options, name, kind[value])
            elif kind is list:
                getattr(options, name).append(str(value, "utf-8"))
            else:
                setattr(options, name, kind(value))
        return options


class Edge:
    """Quantization parameters of a tensor as one consumer sees it; the fields are those of worker.proto."""

    def __init__(self, tensor, consumer="", input=0, data_type=0, quant_min=0, quant_max=0, scale=(),
                 zero_point=(), axis=0, group=0):
        self.tensor, self.consumer, self.input, self.data_type = tensor, consumer, input, data_type
        self.quant_min, self.quant_max, self.axis, self.group = quant_min, quant_max, axis, group
        self.scale, self.zero_point = scale, zero_point

    def encode(self):
        out = []
        wire.put_text(out, 1, self.tensor)
        wire.put_text(out, 2, self.consumer)
        wire.put_varint(out, 3, self.input)
        wire.put_varint(out, 4, self.data_type)
        wire.put_varint(out, 5, self.quant_min)
        wire.put_varint(out, 6, self.quant_max)
        wire.put_each_float(out, 7, self.scale)
        wire.put_each_varint(out, 8, self.zero_point)
        wire.put_varint(out, 9, self.axis)
        wire.put_varint(out, 10, self.group)
        return b"".join(out)


class Quantized:
    """A quantizer's answer: the quantized model's bytes, or edges; and options that the tool does not know."""

    def __init__(self, model=b"", edges=(), ignored=()):
        self.model, self.edges, self.ignored = model, edges, ignored

    def encode(self):
        out = []
        if self.model:
            wire.put_bytes(out, 1, self.model)
        for edge in self.edges:
            wire.put_bytes(out, 2, edge.encode())
        for word in self.ignored:
            wire.put_text(out, 3, word)
        return b"".join(out)
