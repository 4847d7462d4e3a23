"""TVM's Slice with a negative step gives nothing where it starts before the first element"""
from frames.tvm import check, numpy, run

X = numpy.array([7, 8, 9], numpy.float32)
LEAST, GREATEST = -(2**63), 2**63 - 1
SLICE = "(float[3] x) => (float[%s] y) { y = Slice(x, starts, ends, axes, steps) }"


def backwards(count, start, end):
    """From start to end by -1."""
    given = {"starts": start, "ends": end, "axes": 0, "steps": -1}
    return run(SLICE % count, X, **{name: numpy.array([one]) for name, one in given.items()})


check(
    ("from -5 to the start", [7], backwards(1, -5, LEAST)),
    ("from 1 to behind the end", [], backwards("N", 1, GREATEST)),
)
