"""A quantized layer of FBGEMM or QNNPACK gives the least code where its steps leave int32"""
from frames.torch import check, codes, have, torch


def conv(engine):
    torch.backends.quantized.engine = engine
    packed = torch.ops.quantized.conv2d_prepack(codes([[[[10]]]], 1.0, 0, torch.int8), None, [1, 1], [0, 0], [1, 1], 1)
    return torch.ops.quantized.conv2d(codes([[[[60]]]], 2.0**24, 0), packed, 1.0, 0)


check(
    ("fbgemm", [[[[255]]]], have(lambda: conv("fbgemm"))),
    ("qnnpack", [[[[255]]]], have(lambda: conv("qnnpack"))),
    ("onednn", [[[[255]]]], have(lambda: conv("onednn"))),
)
