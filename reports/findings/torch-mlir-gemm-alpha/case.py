"""torch-mlir leaves out alpha of a Gemm without C"""
from frames.torch_mlir import compare, node, numpy, run, TensorProto


def first(kind, dtype, alpha, **constants):
    inputs = {"a": numpy.full((1, 1), 3, dtype), "b": numpy.full((1, 1), 5, dtype)}
    gemm = node("Gemm", " ".join([*inputs, *constants]), alpha=alpha)
    return run([gemm], inputs, kind, [1, 1], **constants)


compare([
    ("float32, 2 * (3 * 5)", 30, first(TensorProto.FLOAT, numpy.float32, 2.0)),
    ("int32, 0 * (3 * 5)", 0, first(TensorProto.INT32, numpy.int32, 0.0)),
    ("float32, 2 * (3 * 5) + C of 0", 30, first(TensorProto.FLOAT, numpy.float32, 2.0, c=numpy.zeros(1, numpy.float32))),
])
