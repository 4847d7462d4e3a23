"""tinygrad's OnnxRunner keeps the first length that a named axis has"""
import tempfile

from frames.tinygrad import check, tensor
from tinygrad.nn.onnx import OnnxRunner


def field(number, value):
    """One field of a protobuf message: a small integer, or what has a length."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def relu():
    """An ONNX model, float[N] x to float[N] y; opset 14."""
    shape = field(1, 1) + field(2, field(1, field(2, "N")))  # elem_type FLOAT, one dimension, dim_param
    ends = [field(1, name) + field(2, field(1, shape)) for name in "xy"]
    node = field(1, "x") + field(2, "y") + field(4, "Relu")
    graph = field(1, node) + field(2, "graph") + field(11, ends[0]) + field(12, ends[1])
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(2, 14)))
        file.flush()
        return OnnxRunner(file.name)


def ask(made, values):
    try:
        y = made({"x": tensor(values)})["y"]
        return y.shape, y.tolist()
    except RuntimeError as error:
        return str(error)


made = relu()
check(
    ("Relu of two elements", [0.0, 2.0], ask(made, [-1.0, 2.0])),
    ("the same model, one element", [3.0], ask(made, [3.0])),
)
