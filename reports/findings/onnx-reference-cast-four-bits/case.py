"""ReferenceEvaluator cuts off fractions where Cast makes 4-bit integers"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([0.75, 1.5, 2.5, 7.25], numpy.float32)

check(
    ("uint4", [1, 2, 2, 7], run("Cast", [X], to=21).astype(numpy.int8)),
    ("int4, of the negatives", [-1, -2, -2, -7], run("Cast", [-X], to=22).astype(numpy.int8)),
)
