"""torch-mlir pads nothing where what pads add to an axis and what they take away come to 0"""
from frames.torch_mlir import compare, node, numpy, run, TensorProto

x = {"x": numpy.array([7, 8, 9], numpy.float32)}


def first(pads):
    return run([node("Pad", "x pads")], x, TensorProto.FLOAT, [3], pads=numpy.array(pads, numpy.int64))


compare([
    ("one before, one less after: first element", 0, first([1, -1])),
    ("one less before, one after: first element", 8, first([-1, 1])),
])
