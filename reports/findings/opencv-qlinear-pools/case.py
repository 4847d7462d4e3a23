"""QLinearAveragePool and QLinearGlobalAveragePool do not read channels_last, count_include_pad and ceil_mode as ONNX names them"""
from frames.opencv import FLOAT, U8, check, node, numpy

REST = {"s": FLOAT(1), "z": U8(0)}


def pool(width=2, **attributes):
    return [node("QLinearAveragePool", "x s z s z", "y", domain="com.microsoft", kernel_shape=[1, width], **attributes)]


def image(*codes):
    return numpy.array(codes, U8).reshape(1, 1, 1, len(codes))


check(
    ("strides 2", image(6, 24), pool(strides=[1, 2]), {"x": image(4, 8, 16, 32, 64)}, REST),
    ("SAME_LOWER", image(6, 8, 8), pool(width=4, auto_pad="SAME_LOWER"), {"x": image(4, 8, 12)}, REST),
    ("pads 1 0", image(4, 6, 12, 24), pool(pads=[0, 1, 0, 0]), {"x": image(4, 8, 16, 32)}, REST),
)
