"""tract follows models that break rules until it is out of memory, or out of bounds"""
from frames.tract import check, numpy, run

NORMALIZE = "(float[2] x) => (float[2] y) { y = BatchNormalization<epsilon = 0.0>(x, one, zero, zero, one) }"
PARAMETERS = {"one": numpy.ones(1, numpy.float32), "zero": numpy.zeros(1, numpy.float32)}

check(("BatchNormalization of one axis", [1, 2], run(NORMALIZE, numpy.float32([1, 2]), **PARAMETERS)))
