"""tinygrad divides by a constant by multiplying with its rounded reciprocal"""
from frames.tinygrad import check, constant, dtypes, run, tensor

ZERO = constant(0, dtypes.int8)


def product(a, a_scale, b, b_scale, y_scale):
    a, b = (tensor([[code]], dtypes.int8) for code in (a, b))
    return run("QLinearMatMul", a, constant(a_scale), ZERO, b, b_scale, ZERO, constant(y_scale), ZERO)


check(
    ("QuantizeLinear, 45.5/7, scale a constant", [6], run("QuantizeLinear", tensor([45.5]), constant(7.0), ZERO)),
    ("QuantizeLinear, 45.5/7, scale at run time", [6], run("QuantizeLinear", tensor([45.5]), tensor([7.0]), ZERO)),
    ("Div, 5/3", [13981013 * 2.0**-23], run("Div", tensor([5.0]), constant(3.0))),
    ("DynamicQuantizeLinear of 0 and 3, scale", 12632257 * 2.0**-30, run("DynamicQuantizeLinear", tensor([0.0, 3.0]), output=1)),
    ("QLinearMatMul, 7 * 3 * 11/14 = 16.5, scales of columns", [[16]], product(7, 3.0, 1, tensor([[11.0]]), 14.0)),
    ("QLinearMatMul, 7 * 3 * 3/14 = 4.5, scalar scales", [[4]], product(7, 3.0, 1, constant(3.0), 14.0)),
)
