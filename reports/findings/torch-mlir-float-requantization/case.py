"""torch-mlir requantizes in float32 in orders that overflow, lose bits or round twice"""
from frames.torch_mlir import compare, node, numpy, run, TensorProto


def conv(x, x_scale, w, w_scale, y_scale):
    """QLinearConv of one element by as many filters of weight w as there are scales, without zero points."""
    nodes = [node("QLinearConv", "x x_scale zero w w_scale w_zero y_scale zero")]
    w_scale = numpy.asarray(w_scale, numpy.float32)
    constants = {
        "x_scale": numpy.float32(x_scale),
        "zero": numpy.int8(0),
        "w": numpy.full((w_scale.size, 1, 1, 1), w, numpy.int8),
        "w_scale": w_scale,
        "w_zero": numpy.zeros(w_scale.shape, numpy.int8),
        "y_scale": numpy.float32(y_scale),
    }
    data = {"x": numpy.full((1, 1, 1, 1), x, numpy.int8)}
    return run(nodes, data, TensorProto.INT8, [1, w_scale.size, 1, 1], **constants)


def cases():
    # 100 * 1.5e38 * 0.5 is no float32
    yield "100 * 1.5e38 by 1 * 0.5, in steps of 1.5e38", 50, conv(100, 1.5e38, 1, 0.5, 1.5e38)
    # 127 * 127 * 2^-160 / 2^-149 = 16129 / 2048 = 7.88; 2^-160 is 0 in float32
    yield "127 * 2^-100 by 127 * 2^-60, in steps of 2^-149", 8, conv(127, 2.0**-100, 127, 2.0**-60, 2.0**-149)
    # 108.500006 exactly; 105 * x_scale and 92 * w_scale, rounded to float32 each, and so on, give 108.5, and even is 108
    scales = [0.048138168, 0.048138168]
    yield "a near tie with a vector of scales", 109, conv(105, 0.059218258, 92, scales, 0.25380054)


compare(cases())
