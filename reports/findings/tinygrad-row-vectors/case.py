"""tinygrad lines up parameters of rows with columns in MatMulInteger and QLinearMatMul"""
from frames.tinygrad import check, constant, dtypes, run, tensor

U8 = dtypes.uint8
ONE, ZERO = constant(1.0), constant(0, U8)
ONES = tensor([[1, 1], [1, 1]], U8)

check(
    ("MatMulInteger", [[2, 2], [0, 0]], run("MatMulInteger", ONES, ONES, tensor([0, 1], U8))),
    (
        "QLinearMatMul",
        [[2, 2], [4, 4]],
        run("QLinearMatMul", ONES, tensor([1.0, 2.0]), tensor([0, 0], U8), ONES, ONE, ZERO, ONE, ZERO),
    ),
)
