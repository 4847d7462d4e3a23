"""onnxruntime.quantization loses beta of a Gemm"""
from frames.ort_quant_forms import check, numpy

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] y) <float[2, 2] W = {1, 0, 0, 1}, float[2] B = {0.5, -0.5}>
{ y = Gemm <alpha = 0.5, beta = 2.0> (x, W, B) }"""
check(MODEL, {"x": numpy.array([[-1, 1]], numpy.float32)}, 0.05)
