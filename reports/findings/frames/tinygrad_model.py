from frames.tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner

FLOAT, U8, INT64, HALF = 1, 2, 7, 10  # ONNX's numbers of types


def varint(number):
    return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])


def field(number, value):
    """A field of a protobuf message: a whole number, or the bytes of a string, of a message or of packed numbers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def initializer(name, data_type, dims, data=b""):
    """A TensorProto; data are its field of elements."""
    return fields(1, dims) + field(2, data_type) + data + field(8, name)


def described(name, data_type, dims):
    """A ValueInfoProto."""
    shape = fields(1, [field(1, dim) for dim in dims])
    return field(1, name) + field(2, field(1, field(1, data_type) + field(2, shape)))


def model(op_type, opset, inputs, given, output, initializers=(), **attributes):
    """A ModelProto of one node, whose output is "y"; given and output are a type and dimensions, given by name. Attributes: whole numbers."""
    attributes = [field(1, name) + field(3, value) + field(20, 2) for name, value in attributes.items()]
    node = fields(1, inputs.split(" ")) + field(2, "y") + field(4, op_type) + fields(5, attributes)
    values = fields(11, [described(name, *one) for name, one in given.items()]) + field(12, described("y", *output))
    graph = field(1, node) + field(2, "graph") + fields(5, initializers) + values
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, opset))


def run_model(data, feeds, typed=False):
    """The output of a model's bytes; feeds are tensors by name. Typed: as a text with its type. An exception is given as its text."""
    try:
        made = OnnxRunner(Tensor(data, device="PYTHON"))(feeds)["y"]
        return ((), "%s of %s" % (made.tolist(), made.dtype.name)) if typed else (made.shape, made.tolist())
    except Exception as exception:
        return "%s: %s" % (type(exception).__name__, exception)
