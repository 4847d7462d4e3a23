"""What torch-mlir compiles for a Relu of codes ends itself where their zero point is the end of their type"""
from frames.torch_mlir import helper, died, in_processes, node, numpy, run


def relu(dtype, zero_point):
    nodes = [
        node("DequantizeLinear", "x scale zero_point", "x_real"),
        node("Relu", "x_real", "y_real"),
        node("QuantizeLinear", "y_real scale zero_point"),
    ]
    kind = helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
    return run(nodes, {"x": numpy.zeros(2, dtype)}, kind, [2], 21, scale=numpy.float32(1), zero_point=dtype(zero_point))


CASES = {
    "int8, zero point 127": lambda: relu(numpy.int8, 127),
    "int16, zero point 32767": lambda: relu(numpy.int16, 32767),
}
in_processes(CASES, died)
