"""tract divides as it multiplies by the rounded reciprocal"""
from frames.tract import check, numpy, run

DIV = "(float[2] x, float[2] w) => (float[2] y) { y = Div(x, w) }"
X, W = numpy.float32([1.19465435, 41]), numpy.float32([1.37566268, 41])

check(("quotients", X / W, run(DIV, X, W)))
