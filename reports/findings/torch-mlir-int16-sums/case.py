"""Sums of products of int16 codes are cut to int32 by torch-mlir"""
from frames.torch_mlir import compare, node, numpy, run, TensorProto


def cases():
    """x = w = -32768 twice: the sum is 2 * 2^30 = 2^31, by a y_scale of 2^20."""
    shapes = {
        "Conv": ((1, 2, 1, 1), (1, 2, 1, 1), (1, 1, 1, 1)),
        "ConvTranspose": ((1, 2, 1, 1), (2, 1, 1, 1), (1, 1, 1, 1)),
        "MatMul": ((1, 2), (2, 1), (1, 1)),
        "Gemm": ((1, 2), (2, 1), (1, 1)),
    }
    for op_type, (x, w, y) in shapes.items():
        nodes = [
            node("DequantizeLinear", "x one zero", "x_real"),
            node("DequantizeLinear", "w one zero", "w_real"),
            node(op_type, "x_real w_real", "y_real"),
            node("QuantizeLinear", "y_real y_scale zero"),
        ]
        least = {"x": numpy.full(x, -32768, numpy.int16), "w": numpy.full(w, -32768, numpy.int16)}
        constants = {"one": numpy.float32(1), "zero": numpy.int16(0), "y_scale": numpy.float32(2**20)}
        yield op_type, 2**31 // 2**20, run(nodes, least, TensorProto.INT16, y, 21, **constants)


compare(cases())
