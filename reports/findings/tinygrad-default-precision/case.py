"""tinygrad divides in float32 where QuantizeLinear has a float16 scale and no precision"""
from frames.tinygrad import check, dtypes, run, tensor

X, SCALE = tensor([401.1, -401.1]), tensor([2.0], dtypes.float16)

check(("401.1 and -401.1 over 2 of float16", [200, -200], run("QuantizeLinear", X, SCALE, tensor([0], dtypes.int16))))
