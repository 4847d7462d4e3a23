# Needs tract and onnx.
# exit: 0 tract does as it should, 1 it does not
import os
import tempfile

import numpy
import onnx
import tract

from frames.apart import apart
from frames.model import model_of
from frames.rows import check

os.environ["RUST_BACKTRACE"] = "0"


def infer(model, inputs):
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        onnx.save(model, file.name)
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    return runnable.run(list(inputs))[0].to_numpy()


def run(text, *inputs, opset=21, valid=True, **constants):
    """The only output of a graph; inputs are arrays."""
    return apart(infer, model_of(text, opset, constants, valid), inputs)
