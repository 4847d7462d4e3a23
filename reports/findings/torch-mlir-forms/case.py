"""Forms of quantized operators that torch-mlir has a conversion for, but not for these"""
from frames.torch_mlir import compile_all, helper, model_of, numpy, TensorProto


def conv(op_type, spatial, group=1, vector=False, **attributes):
    """Codes of 2 channels and 4 elements an axis, by 2 filters of one element."""
    x, w = [1, 2] + [4] * spatial, (2, 2 // group) + (1,) * spatial
    scale = numpy.ones(2 if vector else (), numpy.float32)
    zeros = numpy.zeros(2 if vector else (), numpy.int8)
    constants = {"w": numpy.ones(w, numpy.int8), "zero": numpy.int8(0), "w_zero": zeros}
    if op_type == "ConvInteger":
        names, kind = "x w zero w_zero", TensorProto.INT32
    else:
        names, kind = "x one zero w w_scale w_zero one zero", TensorProto.INT8
        constants.update(one=numpy.float32(1), w_scale=scale)
    node = helper.make_node(op_type, names.split(), ["y"], group=group, **attributes)
    y = list(x)
    if "pads" in attributes:
        y[-1] += 1
    return model_of([node], {"x": (TensorProto.INT8, x)}, kind, y, **constants)


def matmul(a, b, y, a_scales=()):
    names = "a a_scale a_zero b one zero one zero".split()
    constants = {"one": numpy.float32(1), "zero": numpy.int8(0)}
    constants.update(a_scale=numpy.ones(a_scales, numpy.float32), a_zero=numpy.zeros(a_scales, numpy.int8))
    inputs = {"a": (TensorProto.INT8, a), "b": (TensorProto.INT8, b)}
    return model_of([helper.make_node("QLinearMatMul", names, ["y"])], inputs, TensorProto.INT8, y, **constants)


def vector_matmul_integer():
    inputs = {"a": (TensorProto.UINT8, [2]), "b": (TensorProto.INT8, [2, 3])}
    return model_of([helper.make_node("MatMulInteger", ["a", "b"], ["y"])], inputs, TensorProto.INT32, [3])


def quantize(kind, shape, **attributes):
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"], **attributes)
    constants = {"scale": numpy.ones(shape, numpy.float32), "zero": numpy.zeros(shape, numpy.int8)}
    return model_of([node], {"x": (kind, [2, 3])}, TensorProto.INT8, [2, 3], **constants)


def transpose():
    """ConvTranspose between codes."""
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "one", "zero"], ["x_real"]),
        helper.make_node("DequantizeLinear", ["w", "one", "zero"], ["w_real"]),
        helper.make_node("ConvTranspose", ["x_real", "w_real"], ["y_real"], pads=[0, 0, 0, 1]),
        helper.make_node("QuantizeLinear", ["y_real", "one", "zero"], ["y"]),
    ]
    w = numpy.ones((1, 1, 2, 2), numpy.int8)
    constants = {"one": numpy.float32(1), "zero": numpy.int8(0), "w": w}
    return model_of(nodes, {"x": (TensorProto.INT8, [1, 1, 2, 2])}, TensorProto.INT8, [1, 1, 3, 2], **constants)


def mixed_widths():
    """A product of int16 codes by int8 codes, per tensor."""
    nodes = [
        helper.make_node("DequantizeLinear", ["a", "one", "zero16"], ["a_real"]),
        helper.make_node("DequantizeLinear", ["b", "one", "zero"], ["b_real"]),
        helper.make_node("MatMul", ["a_real", "b_real"], ["y"]),
    ]
    constants = {"one": numpy.float32(1), "zero": numpy.int8(0), "zero16": numpy.int16(0)}
    inputs = {"a": (TensorProto.INT16, [2, 2]), "b": (TensorProto.INT8, [2, 2])}
    return model_of(nodes, inputs, TensorProto.FLOAT, [2, 2], 21, **constants)


def reflected():
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "one", "zero"], ["x_real"]),
        helper.make_node("Pad", ["x_real", "pads"], ["y_real"], mode="reflect"),
        helper.make_node("QuantizeLinear", ["y_real", "one", "zero"], ["y"]),
    ]
    constants = {"one": numpy.float32(1), "zero": numpy.int8(0), "pads": numpy.array([0, 1, 0, 0, 0, 0, 0, 0])}
    return model_of(nodes, {"x": (TensorProto.INT8, [1, 2, 2, 2])}, TensorProto.INT8, [1, 3, 2, 2], **constants)


MODELS = {
    "QLinearConv, one dimension": lambda: conv("QLinearConv", 1),
    "QLinearConv, three dimensions, groups": lambda: conv("QLinearConv", 3, 2),
    "QLinearConv, three dimensions, depthwise, vector of scales": lambda: conv("QLinearConv", 3, 2, True),
    "ConvInteger, one dimension": lambda: conv("ConvInteger", 1),
    "ConvInteger, three dimensions, groups": lambda: conv("ConvInteger", 3, 2),
    "ConvInteger, vector of zero points": lambda: conv("ConvInteger", 2, vector=True),
    "ConvInteger, SAME_UPPER": lambda: conv("ConvInteger", 2, auto_pad="SAME_UPPER"),
    "ConvInteger, uneven padding": lambda: conv("ConvInteger", 2, pads=[0, 0, 0, 1]),
    "QLinearMatMul, a vector": lambda: matmul([2], [2, 3], [3]),
    "QLinearMatMul, a batch by a matrix": lambda: matmul([2, 1, 2], [2, 3], [2, 1, 3]),
    "QLinearMatMul, a batch of batches": lambda: matmul([1, 2, 1, 2], [1, 2, 2, 3], [1, 2, 1, 3]),
    "QLinearMatMul, parameters for rows": lambda: matmul([2, 2], [2, 3], [2, 3], 2),
    "MatMulInteger, a vector of uint8 by int8": vector_matmul_integer,
    "MatMul of int16 codes by int8 codes": mixed_widths,
    "QuantizeLinear of int32": lambda: quantize(TensorProto.INT32, ()),
    "QuantizeLinear per axis": lambda: quantize(TensorProto.FLOAT, 3, axis=1),
    "ConvTranspose, uneven padding": transpose,
    "Pad, reflected along the channels": reflected,
}
compile_all(MODELS, r"(?<=error: )[^\n]{0,80}")
