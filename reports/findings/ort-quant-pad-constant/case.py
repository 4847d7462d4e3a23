"""onnxruntime.quantization, QOperator format: the constant of a Pad is clipped to its input's range"""
from frames.ort_quant_forms import check, numpy

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 3] y)
<float[2, 2] W = {1, 0, 0, 1}, int64[4] pads = {0, 1, 0, 0}, float fill = {-10}>
{ a = MatMul (x, W)
  y = Pad (a, pads, fill) }"""
check(MODEL, {"x": numpy.array([[-1, 1]], numpy.float32)}, 0.1)
