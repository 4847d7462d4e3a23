"""XNNPACKQuantizer and prepare_pt2e end in a RecursionError where concatenations read each other

pip install torch torchao executorch==1.5.1
usage: python3 reproduce.py
exit: 0 both models are prepared; 1 one is not
"""
import sys

import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e


class Chain(torch.nn.Module):
    """Each concatenation reads what the last one gave and what that one read."""

    def forward(self, x, z):
        once = torch.cat([x, z])
        twice = torch.cat([x, once])
        return torch.cat([once, twice])


class Once(torch.nn.Module):
    """Nobody but `twice` reads `once`."""

    def forward(self, x, z):
        once = torch.cat([x, z])
        twice = torch.cat([x, once])
        return torch.cat([z, twice])


def falls_over(model):
    inputs = (torch.zeros(2, 4), torch.zeros(2, 4))
    exported = torch.export.export(model, inputs, strict=False).module()
    try:
        prepare_pt2e(exported, XNNPACKQuantizer().set_global(get_symmetric_quantization_config()))
    except RecursionError as exception:
        print("%s: RecursionError: %s" % (type(model).__name__, exception))
        return True
    print("%s: prepared" % type(model).__name__)
    return False


sys.exit(any([falls_over(Once()), falls_over(Chain())]))
