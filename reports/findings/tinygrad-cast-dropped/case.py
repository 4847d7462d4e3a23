"""tinygrad drops a Cast to float16 whose result is cast back"""
from frames.tinygrad import check, onnx_ops, run, tensor

HALF, FLOAT = 10, 1

check(("2049 to float16 and back", [2048.0], run("Cast", onnx_ops["Cast"](tensor([2049.0]), to=HALF), to=FLOAT)))
