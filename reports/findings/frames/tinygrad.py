# Needs tinygrad, and clang, with which it compiles.
# exit: 0 tinygrad does as it should, 1 it does not
import os
import sys

os.environ["CACHELEVEL"] = "0"  # nothing stays on the disk

from tinygrad import Tensor, dtypes  # noqa: E402
from tinygrad.nn.onnx import onnx_ops  # noqa: E402


def tensor(values, dtype=dtypes.float32):
    """In memory, as the inputs of a model and its initializers that are no scalars are."""
    return Tensor(values, dtype=dtype).contiguous().realize()


def constant(value, dtype=dtypes.float32):
    """As OnnxRunner has an initializer that is a scalar."""
    return Tensor(value, dtype=dtype)


def run(op_type, *inputs, output=0, **attributes):
    """An output of what OnnxRunner calls for a node; inputs are tensors. An exception is given as its text."""
    try:
        made = onnx_ops[op_type](*inputs, **attributes)
        made = made[output] if isinstance(made, tuple) else made
        return made.shape, made.tolist()
    except Exception as exception:
        return "%s: %s" % (type(exception).__name__, exception)


def shape_of(values):
    return (len(values), *shape_of(values[0])) if isinstance(values, list) else ()


def check(*rows):
    """Rows of what is asked, what is right and what run() gave; exits."""
    wrong = 0
    for what, want, have in rows:
        shown = have if isinstance(have, str) else "%s of shape %s" % (have[1], list(have[0]))
        print("%s: want %s of shape %s, have %s" % (what, want, list(shape_of(want)), shown))
        wrong += have != (shape_of(want), want)
    sys.exit(1 if wrong else 0)
