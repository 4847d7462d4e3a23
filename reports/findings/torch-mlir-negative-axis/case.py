"""torch-mlir takes a negative axis of DequantizeLinear as it is"""
from frames.torch_mlir import helper, died, in_processes, lower, model_of, numpy, TensorProto


def dequantize(axis):
    node = helper.make_node("DequantizeLinear", ["x", "scale", "zero_point"], ["y"], axis=axis)
    constants = {"scale": numpy.array([1, 2], numpy.float32), "zero_point": numpy.zeros(2, numpy.int8)}
    return model_of([node], {"x": (TensorProto.INT8, [3, 2])}, TensorProto.FLOAT, [3, 2], **constants)


MODELS = {"axis = -1 of a matrix": lambda: lower(dequantize(-1))}
in_processes(MODELS, died)
