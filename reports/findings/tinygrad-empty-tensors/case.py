"""tinygrad refuses an initializer without elements"""
from frames.tinygrad import check, tensor
from frames.tinygrad_model import FLOAT, INT64, field, initializer, model, run_model

X = {"x": tensor([3.0])}


def reshaped(data):
    """One element to a scalar, whose shape is an empty list."""
    return run_model(model("Reshape", 13, "x n", {"x": (FLOAT, [1])}, (FLOAT, []), [initializer("n", INT64, [0], data)]), X)


check(("no field of elements", 3.0, reshaped(b"")), ("an empty raw_data", 3.0, reshaped(field(9, b""))))
