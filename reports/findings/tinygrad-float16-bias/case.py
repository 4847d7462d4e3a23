"""tinygrad rounds the sum of a float16 convolution or Gemm before it adds the bias"""
from frames.tinygrad import check, dtypes, run, tensor

F16 = dtypes.float16
ONE = tensor([1], F16)

check(("2048 + 1, bias 1", [[[2050.0]]], run("Conv", tensor([[[2048, 1]]], F16), tensor([[[1, 1]]], F16), ONE)))
