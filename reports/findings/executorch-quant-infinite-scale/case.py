"""XNNPACKQuantizer gives a weight with an infinite element the scale inf

pip install torch torchao executorch
usage: python3 reproduce.py
exit: 0 every scale is finite, or the model is refused; 1 one is not
"""
import sys

import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from torchao.quantization.pt2e import MinMaxObserver, ObserverBase
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e


def refuses(name, action):
    """Whether the action ends in an exception."""
    try:
        action()
    except (AssertionError, RuntimeError, ValueError) as exception:
        print("%s: refused: %s" % (name, exception))
        return True
    return False


def quantized(weight):
    layer = torch.nn.Linear(2, 2, bias=False)
    layer.weight.data = torch.tensor(weight)
    exported = torch.export.export(layer, (torch.zeros(1, 2),), strict=False).module()
    prepared = prepare_pt2e(exported, XNNPACKQuantizer().set_global(get_symmetric_quantization_config()))
    prepared(torch.tensor([[1.0, 1.0]]))
    for observer in prepared.modules():
        if isinstance(observer, ObserverBase):
            scale, zero_point = observer.calculate_qparams()
            print("%s: scale %g, zero point %d" % (type(observer).__name__, scale, zero_point))
            scales.append(float(scale))
    print("output: %s" % convert_pt2e(prepared)(torch.tensor([[1.0, 1.0]])).tolist())


def observed(numbers):
    observer = MinMaxObserver(dtype=torch.int8, eps=2**-12)
    observer(torch.tensor(numbers))
    scale, zero_point = observer.calculate_qparams()
    print("MinMaxObserver of %s: scale %g, zero point %d" % (numbers, scale, zero_point))
    scales.append(float(scale))


scales = []
refuses("a weight that is infinite", lambda: quantized([[1.0, float("inf")], [3.0, 4.0]]))
refuses("an activation that is infinite", lambda: observed([-1.0, float("inf")]))
refuses("a weight that is NaN", lambda: quantized([[1.0, float("nan")], [3.0, 4.0]]))
sys.exit(float("inf") in scales)
