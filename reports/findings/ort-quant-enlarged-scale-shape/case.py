"""onnxruntime.quantization falls over where it enlarges the scales of a per-channel weight"""
from frames.ort_quant import numpy, quantized, QuantFormat, sys

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 1, 2, 2] x) => (float[1, 3, 1, 1] y)
<float[3, 1, 2, 2] W = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[3] B = {1, 2, 3}> { y = Conv (x, W, B) }"""
feed = {"x": numpy.array([[[[-1e-20, 2e-20], [0, 1e-20]]]], numpy.float32)}
try:
    quantized(MODEL, feed, quant_format=QuantFormat.QOperator, per_channel=True)
except ValueError as exception:
    print("no model: %s" % exception)
    sys.exit(1)
