"""TVM's frontend dies of an operand that must be there and is not"""
import sys

import onnx

from frames.tvm import from_onnx, os

FLOAT = onnx.TensorProto.FLOAT


def concat():
    """Concat of x and of an operand that is left out."""
    node = onnx.helper.make_node("Concat", ["x", ""], ["y"], axis=0)
    values = [onnx.helper.make_tensor_value_info(name, FLOAT, [2]) for name in "xy"]
    graph = onnx.helper.make_graph([node], "graph", values[:1], values[1:])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)


child = os.fork()  # which may die
if child == 0:
    try:
        from_onnx(concat())
    except Exception:
        pass
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("Concat without an operand: want an exception, have %s" % ("signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "one"))
sys.exit(1 if os.WIFSIGNALED(status) else 0)
