"""Forms that the ONNX importer takes and IREE does not compile for CPUs"""
from frames.iree import compile_model, helper, numpy, onnx, sys, TensorProto


def model_of(nodes, inputs, kind, shape, **constants):
    values = [helper.make_tensor_value_info(name, *one) for name, one in inputs.items()]
    fixed = [onnx.numpy_helper.from_array(numpy.asarray(x), name) for name, x in constants.items()]
    result = helper.make_tensor_value_info("y", kind, shape)
    graph = helper.make_graph(nodes, "graph", values, [result], fixed)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    return model


def quantize_float16():
    """QuantizeLinear of float16 per axis."""
    node = helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["y"], axis=0)
    constants = {"scale": numpy.ones(2, numpy.float16), "zero": numpy.zeros(2, numpy.int8)}
    return model_of([node], {"x": (TensorProto.FLOAT16, [2, 3])}, TensorProto.INT8, [2, 3], **constants)


def grouped_conv():
    """QLinearConv in two groups, with a vector of scales, whose windows leave out the last column."""
    names = "x one zero w w_scale w_zero one zero".split()
    node = helper.make_node("QLinearConv", names, ["y"], group=2, strides=[1, 2])
    constants = {
        "one": numpy.float32(1),
        "zero": numpy.int8(0),
        "w": numpy.ones((4, 2, 1, 3), numpy.int8),
        "w_scale": numpy.ones(4, numpy.float32),
        "w_zero": numpy.zeros(4, numpy.int8),
    }
    inputs = {"x": (TensorProto.INT8, [1, 4, 1, 4])}
    return model_of([node], inputs, TensorProto.INT8, [1, 4, 1, 1], **constants)


def one_window():
    """A float Conv of one window, which leaves out the last column."""
    node = helper.make_node("Conv", ["x", "w"], ["y"], strides=[1, 2])
    constants = {"w": numpy.ones((1, 1, 1, 3), numpy.float32)}
    return model_of([node], {"x": (TensorProto.FLOAT, [1, 1, 1, 4])}, TensorProto.FLOAT, [1, 1, 1, 1], **constants)


def transposed_convs():
    """Two padded ConvTranspose with a float bias, of weights with scales and zero points for channels, and codes between."""
    nodes = [helper.make_node("DequantizeLinear", ["w", "scales", "zeros"], ["w_real"], axis=1)]
    for x, y in (("x", "between"), ("between", "y")):
        nodes += [
            helper.make_node("DequantizeLinear", [x, "one", "zero"], [x + "_real"]),
            helper.make_node("ConvTranspose", [x + "_real", "w_real", "bias"], [y + "_sum"], pads=[1, 1, 1, 1]),
            helper.make_node("QuantizeLinear", [y + "_sum", "one", "zero"], [y]),
        ]
    constants = {
        "one": numpy.float32(1),
        "zero": numpy.int8(0),
        "w": (numpy.arange(144) % 7).reshape(4, 4, 3, 3).astype(numpy.int8),
        "scales": numpy.array([0.5, 1, 2, 1], numpy.float32),
        "zeros": numpy.array([-3, -1, 1, 3], numpy.int8),
        "bias": numpy.arange(4).astype(numpy.float32),
    }
    return model_of(nodes, {"x": (TensorProto.INT8, [1, 4, 5, 5])}, TensorProto.INT8, [1, 4, 5, 5], **constants)


MODELS = {
    "QuantizeLinear of float16 per axis": quantize_float16,
    "QLinearConv, groups, the last column left out": grouped_conv,
    "Conv, one window, the last column left out": one_window,
    "ConvTranspose, padded, with a bias, twice": transposed_convs,
}


def main():
    refused = 0
    for name, model in MODELS.items():
        have = "compiled" if compile_model(model()) else "refused"
        print("%s: %s" % (name, have))
        refused += have == "refused"
    return 1 if refused else 0


sys.exit(main())
