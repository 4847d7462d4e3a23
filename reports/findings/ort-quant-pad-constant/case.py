"""onnxruntime.quantization, QOperator format: the constant of a Pad is clipped to its input's range"""
from frames.ort_quant import numpy, onnx, quantized, QuantFormat, run, sys

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 3] y)
<float[2, 2] W = {1, 0, 0, 1}, int64[4] pads = {0, 1, 0, 0}, float fill = {-10}>
{ a = MatMul (x, W)
  y = Pad (a, pads, fill) }"""
feed = {"x": numpy.array([[-1, 1]], numpy.float32)}
want = run(onnx.parser.parse_model(MODEL), feed)[0]
wrong = False
for form in (QuantFormat.QDQ, QuantFormat.QOperator):
    have = run(quantized(MODEL, feed, quant_format=form), feed)[0]
    print("%s: want %s, have %s" % (form, want.tolist(), have.tolist()))
    wrong |= bool(abs(have - want).max() > 0.1)
sys.exit(wrong)
