"""tinygrad refuses integer operators whose optional zero point or attribute is absent"""
from frames.tinygrad import check, constant, dtypes, run, tensor

U8 = dtypes.uint8
ONE, ZERO = constant(1.0), constant(0, U8)
TWO, THREE = tensor([[2]], U8), tensor([[3]], U8)

check(
    ("MatMulInteger with b_zero_point alone", [[4]], run("MatMulInteger", TWO, THREE, None, constant(1, U8))),
    ("QLinearAdd without C_zero_point", [[5]], run("QLinearAdd", TWO, ONE, ZERO, THREE, ONE, ZERO, ONE)),
    (
        "QLinearGlobalAveragePool without channels_last",
        [[[[2]]]],
        run("QLinearGlobalAveragePool", tensor([[[[2, 2]]]], U8), ONE, ZERO, ONE, ZERO),
    ),
)
