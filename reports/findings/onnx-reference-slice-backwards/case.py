"""ReferenceEvaluator's Slice gives nothing where it goes backwards from before the first element"""
from frames.onnx_reference import check, numpy, run

X = numpy.array([7, 8], numpy.uint8)


def backwards(x, start, end):
    return run("Slice", [x, numpy.array([start]), numpy.array([end]), numpy.array([0]), numpy.array([-1])])


check(
    ("from -3 of two elements", [7], backwards(X, -3, -9)),
    ("from -2 of two elements", [7], backwards(X, -2, -9)),
)
