# Needs apache-tvm and onnx. Models are compiled for LLVM's generic CPU.
# exit: 0 TVM does as it should, 1 it does not
import os
import warnings

os.environ["TVM_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import tvm  # noqa: E402
from tvm import relax  # noqa: E402
from tvm.relax.frontend.onnx import from_onnx  # noqa: E402

from frames.model import model_of  # noqa: E402
from frames.rows import check  # noqa: E402

warnings.filterwarnings("ignore")


def run(text, *inputs, opset=21, **constants):
    """The only output of a graph; inputs are arrays. An exception is given as its last line."""
    model = model_of(text, opset, constants)
    try:
        machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
        return machine["main"](*[tvm.runtime.tensor(x) for x in inputs]).numpy()
    except Exception as exception:
        return "%s: %s" % (type(exception).__name__, str(exception).strip().split("\n")[-1])
