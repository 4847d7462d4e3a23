"""onnxruntime.quantization, QOperator format: the bias of two layers has the first one's scale"""
from frames.ort_quant import numpy, onnx, quantized, QuantFormat, run, sys

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] y)
<float[2, 2] W = {4, 0, 0, 4}, float[2, 2] V = {0.125, 0, 0, 0.125}, float[2] B = {1.5, -1.5}>
{ a = Gemm (x, W, B)
  y = Gemm (a, V, B) }"""
feed = {"x": numpy.array([[-1, 1]], numpy.float32)}
want = run(onnx.parser.parse_model(MODEL), feed)[0]
wrong = False
for form in (QuantFormat.QDQ, QuantFormat.QOperator):
    have = run(quantized(MODEL, feed, quant_format=form), feed)[0]
    print("%s: want %s, have %s" % (form, want.tolist(), have.tolist()))
    wrong |= bool(abs(have - want).max() > 0.1)
sys.exit(wrong)
