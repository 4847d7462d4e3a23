"""quantize_dynamic ignores per_channel for convolutions"""
from frames.ort_quant import numpy, onnx, sys, tempfile
from onnxruntime.quantization import quantize_dynamic

MODEL = """<ir_version: 8, opset_import: ["" : 13]>
graph (float[1, 1, 2, 2] x) => (float[1, 2, 2, 2] y) <float[2, 1, 1, 1] W = {1, 100}> { y = Conv (x, W) }"""
with tempfile.TemporaryDirectory() as directory:
    onnx.save(onnx.parser.parse_model(MODEL), directory + "/float.onnx")
    quantize_dynamic(directory + "/float.onnx", directory + "/codes.onnx", per_channel=True)
    made = onnx.load(directory + "/codes.onnx")
scales = {one.name: onnx.numpy_helper.to_array(one) for one in made.graph.initializer if one.name.endswith("scale")}
print("scales: %s" % scales)
sys.exit(all(numpy.size(one) == 1 for one in scales.values()))
