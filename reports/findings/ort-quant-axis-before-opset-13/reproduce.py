"""onnxruntime.quantization writes an axis that DequantizeLinear does not have before opset 13

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



MODEL = """<ir_version: 7, opset_import: ["" : 11]>
graph (float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y) <float[2, 1, 1, 1] W = {1, 2}> { y = Conv (x, W) }"""
x = numpy.array([[[[-1, 1], [2, 3]]]], numpy.float32)
model = quantized(MODEL, {"x": x}, quant_format=QuantFormat.QDQ, per_channel=True)
opset = model.opset_import[0].version
axes = [node.op_type for node in model.graph.node for one in node.attribute if one.name == "axis"]
print("opset %d, nodes with an axis: %s" % (opset, axes))
sys.exit(opset < 13 and bool(axes))
