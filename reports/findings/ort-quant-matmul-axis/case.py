"""onnxruntime.quantization takes axis 1 of a MatMul's weight whatever its rank"""
from frames.ort_quant import numpy, onnxruntime, quantized, QuantFormat, sys

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[2, 1, 3] x) => (float[2, 1, 2] y) <float[2, 3, 2] W = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}> { y = MatMul (x, W) }"""
feed = {"x": numpy.array([[[-1, 0, 1]], [[1, 2, 3]]], numpy.float32)}
model = quantized(MODEL, feed, quant_format=QuantFormat.QDQ, per_channel=True)
axes = [one.i for node in model.graph.node for one in node.attribute if one.name == "axis"]
print("axes of the scales: %s; the columns of W are axis 2" % axes)
try:
    onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)
except Exception as exception:
    print("and ONNX Runtime refuses what its default optimizations make of it: %s" % exception)
sys.exit(any(one % 3 != 2 for one in axes))
