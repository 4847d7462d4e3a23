"""quantized::conv_transpose3d of QNNPACK writes the first plane only"""
from frames.torch import check, codes, have, torch

CODES = [[[[[1]], [[2]], [[3]]]]]
ONE = [1, 1, 1]


def conv(engine):
    torch.backends.quantized.engine = engine
    kernel = codes([[[[[1]]]]], 1.0, 0, torch.int8)
    packed = torch.ops.quantized.conv_transpose3d_prepack(kernel, None, ONE, [0] * 3, [0] * 3, ONE, 1)
    dirty = [torch.full((3,), 77, dtype=torch.uint8) for _ in range(64)]  # what is freed now is what is not written
    del dirty
    return torch.ops.quantized.conv_transpose3d(codes(CODES, 1.0, 0), packed, 1.0, 0)


check(("fbgemm", CODES, have(lambda: conv("fbgemm"))), ("qnnpack", CODES, have(lambda: conv("qnnpack"))))
