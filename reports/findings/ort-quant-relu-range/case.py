"""onnxruntime.quantization drops a Relu or Clip whose clipping nothing replaces"""
from frames.ort_quant import numpy, onnx, quantized, QuantFormat, run, sys

# The input of the Relu is an output of the graph too; and a Clip whose bounds leave 0 out.
MODELS = [
    """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] c, float[1, 2] y) <float[2, 2] W = {1, 0, 0, 1}> { c = MatMul (x, W) y = Relu (c) }""",
    """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] y) <float[2, 2] W = {1, 0, 0, 1}, float low = {0.25}, float high = {0.5}>
{ c = MatMul (x, W) y = Clip (c, low, high) }""",
]
feed = {"x": numpy.array([[-1, 1]], numpy.float32)}
wrong = False
for text in MODELS:
    want = run(onnx.parser.parse_model(text), feed)
    have = run(quantized(text, feed, quant_format=QuantFormat.QDQ), feed)
    print("want %s, have %s" % ([one.tolist() for one in want], [one.tolist() for one in have]))
    wrong |= any(abs(a - b).max() > 0.05 for a, b in zip(want, have))
sys.exit(bool(wrong))
