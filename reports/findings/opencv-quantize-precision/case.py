"""QuantizeLinear divides in float32 whatever the type of y_scale and precision are"""
from frames.opencv import FLOAT, U8, check, node, numpy

X = {"x": numpy.array([401.1, 401.1], FLOAT)}
REST = {"s": numpy.array(2, numpy.float16), "z": U8(0)}

# 401.1 / 2 is 200.55, as a float16 200.5, and its even neighbour 200
check(("precision float16", numpy.array([200, 200], U8), [node("QuantizeLinear", "x s z", "y", precision=10)], X, REST, 23))
