"""onnxruntime.quantization, QOperator format: the bias of two layers has the first one's scale"""
from frames.ort_quant_forms import check, numpy

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] y)
<float[2, 2] W = {4, 0, 0, 4}, float[2, 2] V = {0.125, 0, 0, 0.125}, float[2] B = {1.5, -1.5}>
{ a = Gemm (x, W, B)
  y = Gemm (a, V, B) }"""
check(MODEL, {"x": numpy.array([[-1, 1]], numpy.float32)}, 0.1)
