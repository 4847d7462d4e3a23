"""An operator in blocks of channels whose input is a constant is refused"""
from frames.opencv import FLOAT, check, node, numpy

X = {"x": numpy.array([1, 3, 2], FLOAT).reshape(1, 1, 1, 3)}
W = {"w": numpy.array([1, 2], FLOAT).reshape(1, 1, 1, 2)}


def operator(name, inputs, want, **attributes):
    """A constant x; the graph's input is that of another output."""
    nodes = [node(name, inputs, "y", **attributes), node("Identity", "i", "o")]
    other = numpy.zeros(1, FLOAT)
    return name, numpy.array(want, FLOAT).reshape(1, 1, 1, 2), nodes, {"i": other}, {**X, **W}, 21, {"o": other}


check(
    operator("MaxPool", "x", [3, 3], kernel_shape=[1, 2]),
    operator("AveragePool", "x", [2, 2.5], kernel_shape=[1, 2]),
    operator("Conv", "x w", [7, 7]),  # 1 + 2 * 3, 3 + 2 * 2
)
