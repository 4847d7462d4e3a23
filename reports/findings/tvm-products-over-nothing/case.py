"""TVM does not write the product of matrices over no elements"""
from frames.tvm import check, numpy, run

ADD = "(float[64, 64] x) => (float[64, 64] y) { y = Add(x, x) }"
PRODUCT = "(uint8[64, 0] a, int8[0, 64] b) => (int32[64, 64] y) { y = MatMulInteger(a, b) }"


def after_another():
    """The product over nothing, after a model whose output was as large."""
    run(ADD, numpy.full((64, 64), 77, numpy.float32))
    return run(PRODUCT, numpy.zeros((64, 0), numpy.uint8), numpy.zeros((0, 64), numpy.int8))


check(*[("elements that are not 0", 0, numpy.array(numpy.count_nonzero(after_another()))) for _ in range(4)])
