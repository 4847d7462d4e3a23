"""onnxruntime.quantization drops a Relu or Clip whose clipping nothing replaces

pip install numpy onnx onnxruntime sympy
usage: python3 reproduce.py
exit: 0 the tool does as it should, 1 it does not
"""
import logging
import sys
import tempfile

import numpy
import onnx
import onnx.parser
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

logging.disable(logging.WARNING)


class Reader(CalibrationDataReader):
    def __init__(self, *feeds):
        self.feeds = iter(feeds)

    def get_next(self):
        return next(self.feeds, None)


def quantized(text, feed, **options):
    """The model that quantize_static makes of a model, calibrated with one feed."""
    with tempfile.TemporaryDirectory() as directory:
        path = directory + "/float.onnx"
        onnx.save(onnx.parser.parse_model(text), path)
        quantize_static(path, directory + "/codes.onnx", Reader(feed), **options)
        return onnx.load(directory + "/codes.onnx")


def run(model, feed):
    """Its outputs, without ONNX Runtime's own fusions."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"]).run(None, feed)



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
