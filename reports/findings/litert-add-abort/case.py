"""ADD ends the process where its scales are far apart, or 2^20 times the output's is no float32"""
from frames.litert import U8, Value, check, numpy, operator

ADD = operator("ADD", "a b", "y", "AddOptions")


def added(exponent, want, kernels, given=0):
    """3 and 4, of the scale 2^given; the sum has 2^exponent."""
    codes = {name: Value(numpy.array([code], U8), 2.0**given) for name, code in (("a", 3), ("b", 4))}
    values = {**codes, "y": Value(numpy.array([0], U8), 2.0**exponent)}
    return "scales of 2^%d to 2^%d, %s" % (given, exponent, kernels), [[want]], [ADD], values, "y", kernels


check(
    added(-18, 255, "xnnpack"),
    added(-19, 255, "xnnpack"),
    added(-19, 255, "builtin"),
    added(-19, 255, "reference"),
    added(107, 7, "builtin", 107),
    added(108, 7, "xnnpack", 108),
    added(108, 7, "builtin", 108),
    added(108, 7, "reference", 108),
)
