"""torch-mlir's importer does not read float16 from int32_data, where ONNX has it when it is not raw"""
from frames.torch_mlir import compile_all, helper, model_of, numpy, numpy_helper, TensorProto


def dequantize(raw):
    scale = numpy.array(0.5, numpy.float16)
    node = helper.make_node("DequantizeLinear", ["x", "scale", "zero_point"], ["y"])
    model = model_of([node], {"x": (TensorProto.INT8, [2])}, TensorProto.FLOAT16, [2], 21, zero_point=numpy.int8(0))
    if raw:
        tensor = numpy_helper.from_array(scale, "scale")
    else:
        tensor = TensorProto(name="scale", data_type=TensorProto.FLOAT16, int32_data=[int(scale.view(numpy.uint16))])
    model.graph.initializer.append(tensor)
    return model


MODELS = {"float16 in raw_data": lambda: dequantize(True), "float16 in int32_data": lambda: dequantize(False)}
compile_all(MODELS, r"[^\n]{0,100}")
