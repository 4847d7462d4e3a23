"""TVM's ReduceMean of int32 gives int64"""
from frames.tvm import check, numpy, run

MEAN = "(int32[2] x) => (int32[1] y) { y = ReduceMean(x) }"
have = run(MEAN, numpy.array([4, 8], numpy.int32))

check(("the type of the mean of 4 and 8", "int32", have if isinstance(have, str) else numpy.array(have.dtype.name)))
