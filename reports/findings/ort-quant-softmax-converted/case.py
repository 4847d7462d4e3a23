"""onnxruntime.quantization, 16-bit types: Softmax before opset 13 is converted to an invalid Reshape where an axis is empty"""
from frames.ort_quant import numpy, onnx, quantized, run, sys

from onnxruntime.quantization import QuantType

MODEL = """<ir_version: 8, opset_import: ["" : 11]>
graph (float[1, 1, 0, 1] x) => (float[1, 1, 0, 1] y)
{ a = Abs (x)
  y = Softmax (a) }"""
feed = {"x": numpy.zeros((1, 1, 0, 1), numpy.float32)}
run(onnx.parser.parse_model(MODEL), feed)
sixteen = {"activation_type": QuantType.QInt16, "weight_type": QuantType.QInt16}
try:
    print("want an empty tensor, have", run(quantized(MODEL, feed, **sixteen), feed))
except Exception as refused:
    print("the quantized model is refused:", refused)
    sys.exit(1)
