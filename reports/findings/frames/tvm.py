# Needs apache-tvm and onnx. Models are compiled for LLVM's generic CPU.
# exit: 0 TVM does as it should, 1 it does not
import os
import sys
import warnings

os.environ["TVM_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
import tvm  # noqa: E402
from tvm import relax  # noqa: E402
from tvm.relax.frontend.onnx import from_onnx  # noqa: E402

warnings.filterwarnings("ignore")


def model_of(text, opset, constants):
    """A model of ONNX's text form of a graph: what stands after `agraph`; constants are arrays by their names."""
    head = '<ir_version: 10, opset_import: ["" : %d]> agraph ' % opset
    model = onnx.parser.parse_model(head + text)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(x, name) for name, x in constants.items())
    onnx.checker.check_model(model, full_check=True)
    return model


def run(text, *inputs, opset=21, **constants):
    """The only output of a graph; inputs are arrays. An exception is given as its last line."""
    model = model_of(text, opset, constants)
    try:
        machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
        return machine["main"](*[tvm.runtime.tensor(x) for x in inputs]).numpy()
    except Exception as exception:
        return "%s: %s" % (type(exception).__name__, str(exception).strip().split("\n")[-1])


def check(*rows):
    """Rows of what is asked, what is right and what run() gave; exits."""
    wrong = 0
    for what, want, have in rows:
        want = numpy.asarray(want)
        same = isinstance(have, numpy.ndarray) and have.shape == want.shape and bool((have == want).all())
        shown = have if isinstance(have, str) else "%s of shape %s" % (have.tolist(), list(have.shape))
        print("%s: want %s of shape %s, have %s" % (what, want.tolist(), list(want.shape), shown))
        wrong += not same
    sys.exit(1 if wrong else 0)
