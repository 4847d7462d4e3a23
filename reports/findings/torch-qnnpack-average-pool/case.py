"""QNNPACK's avg_pool2d counts the padding, asked or not"""
from frames.torch import check, codes, have, torch

torch.backends.quantized.engine = "qnnpack"


def pool(counted):
    x = codes([[[[100, 100], [100, 100]]]], 1.0, 0)
    return torch.nn.functional.avg_pool2d(x, 3, 1, 1, count_include_pad=counted)


check(
    ("padding counted", [[[[44, 44], [44, 44]]]], have(lambda: pool(True))),
    ("padding not counted", [[[[100, 100], [100, 100]]]], have(lambda: pool(False))),
)
