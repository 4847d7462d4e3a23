"""QNNPACK's convolutions multiply by the rounded reciprocal of the output scale"""
from frames.torch import check, codes, have, torch


def conv(engine):
    torch.backends.quantized.engine = engine
    packed = torch.ops.quantized.conv2d_prepack(codes([[[[3]]]], 1.0, 0, torch.int8), None, [1, 1], [0, 0], [1, 1], 1)
    return torch.ops.quantized.conv2d(codes([[[[3]]]], 3.5, 0), packed, 3.0, 0)


check(("qnnpack", [[[[10]]]], have(lambda: conv("qnnpack"))), ("fbgemm", [[[[10]]]], have(lambda: conv("fbgemm"))))
