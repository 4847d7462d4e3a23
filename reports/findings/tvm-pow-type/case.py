"""TVM's Pow of a constant float32 and a constant int64 gives float64"""
from frames.tvm import check, numpy, run

MODEL = "() => (float[1] y) { y = Pow(two, three) }"
made = run(MODEL, two=numpy.array([2], numpy.float32), three=numpy.array([3], numpy.int64))
check(("bits of the output's type", [32], made if isinstance(made, str) else numpy.array([8 * made.dtype.itemsize])))
