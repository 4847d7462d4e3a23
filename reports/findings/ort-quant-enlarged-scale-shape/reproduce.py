"""onnxruntime.quantization falls over where it enlarges the scales of a per-channel weight

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



MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 1, 2, 2] x) => (float[1, 3, 1, 1] y)
<float[3, 1, 2, 2] W = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[3] B = {1, 2, 3}> { y = Conv (x, W, B) }"""
feed = {"x": numpy.array([[[[-1e-20, 2e-20], [0, 1e-20]]]], numpy.float32)}
try:
    quantized(MODEL, feed, quant_format=QuantFormat.QOperator, per_channel=True)
except ValueError as exception:
    print("no model: %s" % exception)
    sys.exit(1)
