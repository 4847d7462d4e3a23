"""onnxruntime.quantization: the output of a Gather takes a vector of scales"""
from frames.ort_quant import numpy, quantized, QuantFormat, run, sys

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 3] y, float[2, 2] z)
<float[3, 2] W = {1, 2, 3, 4, 5, 6}, int64[2] ids = {2, 0}>
{ y = Gemm <transB = 1> (x, W)
  z = Gather (W, ids) }"""
feed = {"x": numpy.array([[-1, 1]], numpy.float32)}
try:
    print("y, z: %s" % run(quantized(MODEL, feed, quant_format=QuantFormat.QDQ, per_channel=True), feed))
except Exception as error:
    print("%s: %s" % (type(error).__name__, error))
    sys.exit(1)
