"""onnxruntime.quantization loses beta of a Gemm

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



MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] y) <float[2, 2] W = {1, 0, 0, 1}, float[2] B = {0.5, -0.5}>
{ y = Gemm <alpha = 0.5, beta = 2.0> (x, W, B) }"""
feed = {"x": numpy.array([[-1, 1]], numpy.float32)}
wrong = False
want = run(onnx.parser.parse_model(MODEL), feed)[0]
for form in (QuantFormat.QDQ, QuantFormat.QOperator):
    have = run(quantized(MODEL, feed, quant_format=form), feed)[0]
    print("%s: want %s, have %s" % (form, want.tolist(), have.tolist()))
    wrong |= bool(abs(have - want).max() > 0.05)
sys.exit(wrong)
