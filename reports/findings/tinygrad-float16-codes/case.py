"""tinygrad computes 16-bit codes of float16 in float16"""
from frames.tinygrad import check, dtypes, run, tensor

X, SCALE = tensor([3.0, -1.0], dtypes.float16), tensor([1.0], dtypes.float16)

check(("3 and -1, zero point 2050", [2053, 2049], run("QuantizeLinear", X, SCALE, tensor([2050], dtypes.uint16))))
