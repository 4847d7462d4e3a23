import sys

import numpy


def check(*rows):
    """Rows of what is asked, what is right and what run() gave; exits."""
    wrong = 0
    for what, want, have in rows:
        want = numpy.asarray(want)
        same = isinstance(have, numpy.ndarray) and numpy.array_equal(have, want, equal_nan=want.dtype.kind == "f")
        shown = have if isinstance(have, str) else "%s of shape %s" % (have.tolist(), list(have.shape))
        print("%s: want %s of shape %s, have %s" % (what, want.tolist(), list(want.shape), shown))
        wrong += not same
    sys.exit(1 if wrong else 0)
