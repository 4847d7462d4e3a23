"""onnxruntime.quantization writes float16 operands for operators that take float32"""
from frames.ort_quant import numpy, onnxruntime, quantized, QuantFormat, sys

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
