"""onnxruntime.quantization, dynamic: a Gemm with transB transposes its weight for everybody"""
import os

from frames.ort_quant import numpy, onnx, run, sys, tempfile
from onnxruntime.quantization import quantize_dynamic

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 2] x) => (float[1, 2] y, float[1, 2] z)
<float[2, 2] W = {1, 2, 3, 4}, int64[1] ids = {0}>
{ y = Gemm <transB = 1> (x, W)
  z = Gather (W, ids) }"""
feed = {"x": numpy.array([[-1, 1]], numpy.float32)}
want = run(onnx.parser.parse_model(MODEL), feed)[1]
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "float.onnx")
    onnx.save(onnx.parser.parse_model(MODEL), path)
    quantize_dynamic(path, path)
    have = run(onnx.load(path), feed)[1]
print("row 0 of W: want %s, have %s" % (want.tolist(), have.tolist()))
sys.exit(bool(abs(have - want).max() > 0.1))
