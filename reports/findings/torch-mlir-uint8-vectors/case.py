"""torch-mlir makes signless literals of vectors of uint8 zero points, which its verifier refuses"""
from frames.torch_mlir import compile_all, helper, model_of, numpy, TensorProto


def quantize():
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero_point"], ["y"], axis=0)
    constants = {"scale": numpy.array([1, 1], numpy.float32), "zero_point": numpy.array([0, 1], numpy.uint8)}
    return model_of([node], {"x": (TensorProto.FLOAT, [2, 3])}, TensorProto.UINT8, [2, 3], **constants)


MODELS = {"QuantizeLinear, zero points (0, 1)": quantize}
compile_all(MODELS, r"inferred type\(s\) '[^']*' are incompatible with return type\(s\) of operation '[^']*'")
