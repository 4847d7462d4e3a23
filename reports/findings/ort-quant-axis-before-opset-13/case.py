"""onnxruntime.quantization writes an axis that DequantizeLinear does not have before opset 13"""
from frames.ort_quant import numpy, quantized, QuantFormat, sys

MODEL = """<ir_version: 7, opset_import: ["" : 11]>
graph (float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y) <float[2, 1, 1, 1] W = {1, 2}> { y = Conv (x, W) }"""
x = numpy.array([[[[-1, 1], [2, 3]]]], numpy.float32)
model = quantized(MODEL, {"x": x}, quant_format=QuantFormat.QDQ, per_channel=True)
opset = model.opset_import[0].version
axes = [node.op_type for node in model.graph.node for one in node.attribute if one.name == "axis"]
print("opset %d, nodes with an axis: %s" % (opset, axes))
sys.exit(opset < 13 and bool(axes))
