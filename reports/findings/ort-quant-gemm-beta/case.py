"""onnxruntime.quantization loses beta of a Gemm"""
from frames.ort_quant import numpy, onnx, quantized, QuantFormat, run, sys

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
