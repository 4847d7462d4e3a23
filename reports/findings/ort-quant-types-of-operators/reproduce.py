"""onnxruntime.quantization writes float16 operands for operators that take float32

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



MODEL = """<ir_version: 9, opset_import: ["" : 19]>
graph (float16[1, 2] x) => (float16[1, 2] y) { y = Add (x, x) }"""
feed = {"x": numpy.array([[-1, 1]], numpy.float16)}
model = quantized(MODEL, feed, quant_format=QuantFormat.QOperator)
print([node.op_type for node in model.graph.node])
try:
    onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
except Exception as exception:
    print("ONNX Runtime refuses the model: %s" % exception)
    sys.exit(1)
