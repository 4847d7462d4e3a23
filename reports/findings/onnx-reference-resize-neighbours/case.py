"""ReferenceEvaluator's Resize takes the element before where a position is a hair above an element"""
from frames.onnx_reference import check, numpy, run

X, NONE, HALF = numpy.arange(9, dtype=numpy.float32), numpy.zeros(0, numpy.float32), numpy.array([0.5], numpy.float32)

# 9 * 0.5 is 4.5, of which 4 are kept; offset = 4.5 (1 - 4 / 4.5) = 0.5, and x = 0.5 + (i + 0.5) / 0.5 - 0.5 = 2 i + 1
check(("scale 0.5 of 9", [1, 3, 5, 7], run("Resize", [X, NONE, HALF], mode="nearest", coordinate_transformation_mode="half_pixel_symmetric")))
