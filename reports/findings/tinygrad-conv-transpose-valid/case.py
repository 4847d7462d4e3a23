"""tinygrad takes auto_pad VALID of ConvTranspose for SAME_LOWER"""
from frames.tinygrad import check, run, tensor

X, W = tensor([[[1.0, 2.0]]]), tensor([[[1.0, 1.0, 1.0]]])

# without padding: 1 1 1 0 and 0 2 2 2
check(
    ("VALID", [[[1.0, 3.0, 3.0, 2.0]]], run("ConvTranspose", X, W, auto_pad="VALID")),
    ("NOTSET", [[[1.0, 3.0, 3.0, 2.0]]], run("ConvTranspose", X, W)),
)
