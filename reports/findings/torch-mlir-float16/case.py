"""QuantizeLinear and DequantizeLinear of float16 do their steps in float16 in torch-mlir"""
from frames.torch_mlir import compare, helper, node, numpy, run, TensorProto


def quantize(x, scale, zero_point, **attributes):
    nodes = [node("QuantizeLinear", "x scale zero_point", **attributes)]
    kind = helper.np_dtype_to_tensor_dtype(zero_point.dtype)
    return run(nodes, {"x": numpy.full(1, x, numpy.float16)}, kind, [1], 24, scale=scale, zero_point=zero_point)


def cases():
    half, single = TensorProto.FLOAT16, TensorProto.FLOAT
    # -65535 is no float16, times 2^-23 it is -0.0078124
    dequantize = [node("DequantizeLinear", "x scale zero_point", axis=0)]
    least = {"x": numpy.full(2, -32768, numpy.int16)}
    scale, zero_point = numpy.full(2, 2.0**-23, numpy.float16), numpy.full(2, 32767, numpy.int16)
    yield "(-32768 - 32767) * 2^-23 to float16, per axis", numpy.float16(-0.0078125), run(
        dequantize, least, half, [2], 24, scale=scale, zero_point=zero_point
    )
    # 95.468749; with the scale in float16, 0.22961426, it is 95.4727, in float16 95.5, and even is 96
    yield "21.921875 / 0.229623571 + 10, in float32", 105, quantize(
        21.921875, numpy.float32(0.229623571), numpy.int8(10), precision=single
    )
    # -6261.84 is -6260 in float16; -6250 lies between its neighbours -6252 and -6248
    yield "-10096 / 1.6123046875 + 10, the quotient in float16", -6250, quantize(
        -10096, numpy.float16(1.6123046875), numpy.int16(10), precision=half
    )
    # 32767 is no float16; 32768 is, and as int16 it is the other end
    yield "65504 / 1, saturated to int16", 32767, quantize(65504, numpy.float16(1), numpy.int16(0))


compare(cases())
