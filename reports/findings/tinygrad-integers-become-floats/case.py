"""tinygrad's Gemm and ReduceMean of integers give floats"""
from frames.tinygrad import check, dtypes, onnx_ops, tensor

S32 = dtypes.int32


def type_of(op_type, *inputs, **attributes):
    return (1,), [str(onnx_ops[op_type](*inputs, **attributes).dtype)]


check(
    ("type of Gemm, int32", [str(S32)], type_of("Gemm", tensor([[3]], S32), tensor([[5]], S32))),
    ("type of ReduceMean, int32", [str(S32)], type_of("ReduceMean", tensor([[3, 3]], S32))),
)
