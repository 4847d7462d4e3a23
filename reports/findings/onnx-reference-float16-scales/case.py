"""ReferenceEvaluator's QLinearMatMul multiplies float16 scales in float16"""
from frames.onnx_reference import check, numpy, run

ZERO = numpy.uint8(0)


def product(a, b, *scales):
    """Of one element each; scales of a, b and y."""
    a, b = numpy.array([[a]], numpy.uint8), numpy.array([[b]], numpy.uint8)
    a_scale, b_scale, y_scale = (numpy.float16(scale) for scale in scales)
    return run("QLinearMatMul", [a, a_scale, numpy.array(ZERO), b, b_scale, numpy.array(ZERO), y_scale, numpy.array(ZERO)])


check(
    ("300 * 300 / 500 is 180", [[180]], product(1, 1, 300, 300, 500)),
    ("2^-13 * 2^-13 / 2^-20 is 2^-6, times 10 * 64 is 10", [[10]], product(10, 64, 2**-13, 2**-13, 2**-20)),
)
