"""torch-mlir follows a null pointer where QLinearConv pads unevenly or by auto_pad"""
from frames.torch_mlir import helper, died, in_processes, lower, model_of, numpy, TensorProto


def conv(**attributes):
    """QLinearConv of int8 [1, 1, 2, 2] by one filter of that size; a row and a column of padding give it again."""
    names = "x scale zero w scale zero scale zero".split()
    node = helper.make_node("QLinearConv", names, ["y"], **attributes)
    constants = {"scale": numpy.float32(1), "zero": numpy.int8(0), "w": numpy.ones((1, 1, 2, 2), numpy.int8)}
    inputs = {"x": (TensorProto.INT8, [1, 1, 2, 2])}
    return model_of([node], inputs, TensorProto.INT8, [1, 1, 2, 2], **constants)


MODELS = {
    "pads = [0, 0, 1, 1]": lambda: lower(conv(pads=[0, 0, 1, 1])),
    "auto_pad = SAME_UPPER": lambda: lower(conv(auto_pad="SAME_UPPER")),
}
in_processes(MODELS, died)
