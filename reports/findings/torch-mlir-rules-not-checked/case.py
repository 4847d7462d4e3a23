"""Models that break rules of their operators, which torch-mlir does not refuse"""
from frames.torch_mlir import helper, in_processes, lower, model_of, numpy, TensorProto


def matmul():
    """QLinearMatMul: b_zero_point is not of the type of b."""
    names = "a one zero b one b_zero one zero".split()
    constants = {"one": numpy.float32(1), "zero": numpy.int8(0), "b_zero": numpy.uint8(0)}
    inputs = {"a": (TensorProto.INT8, [2, 2]), "b": (TensorProto.INT8, [2, 2])}
    return model_of([helper.make_node("QLinearMatMul", names, ["y"])], inputs, TensorProto.INT8, [2, 2], **constants)


def quantize():
    """QuantizeLinear of opset 10 knows no int16."""
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"])
    constants = {"scale": numpy.float32(1), "zero": numpy.int16(0)}
    return model_of([node], {"x": (TensorProto.FLOAT, [2])}, TensorProto.INT16, [2], 10, **constants)


def gather():
    """An index beyond the end of the axis."""
    node = helper.make_node("Gather", ["x", "at"], ["y"])
    return model_of([node], {"x": (TensorProto.FLOAT, [2])}, TensorProto.FLOAT, [1], at=numpy.array([2]))


def transpose():
    node = helper.make_node("ConvTranspose", ["x", "w"], ["y"], group=0)
    w = numpy.ones((1, 1, 1, 1), numpy.float32)
    return model_of([node], {"x": (TensorProto.FLOAT, [1, 1, 2, 2])}, TensorProto.FLOAT, [1, 1, 2, 2], w=w)


def softmax():
    node = helper.make_node("Softmax", ["x"], ["y"], axis=2)
    return model_of([node], {"x": (TensorProto.FLOAT, [2, 2])}, TensorProto.FLOAT, [2, 2])


MODELS = {
    "QLinearMatMul, b_zero_point of another type": lambda: lower(matmul()),
    "QuantizeLinear to int16 at opset 10": lambda: lower(quantize()),
    "Gather, an index beyond the end": lambda: lower(gather()),
    "ConvTranspose, group 0": lambda: lower(transpose()),
    "Softmax along axis 2 of a matrix": lambda: lower(softmax()),
}
in_processes(MODELS, bool)
