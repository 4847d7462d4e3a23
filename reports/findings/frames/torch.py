# Needs torch, for the CPU.
# exit: 0 torch does as it should, 1 it does not
import sys
import warnings

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

warnings.filterwarnings("ignore")
torch.set_num_threads(1)


def codes(values, scale, zero_point, dtype=torch.uint8):
    """A quantized tensor that has these codes."""
    return torch._make_per_tensor_quantized_tensor(torch.tensor(values, dtype=dtype), scale, zero_point)


def have(action):
    """What action() gives, as a list; codes of a quantized tensor. An exception is given as its text."""
    try:
        made = action()
    except Exception as exception:
        return "%s: %s" % (type(exception).__name__, str(exception).partition("\n")[0])
    return (made.int_repr() if made.is_quantized else made).tolist()


def check(*rows):
    """Rows of what is asked, what is right and what have() gave; exits."""
    wrong = 0
    for what, want, given in rows:
        print("%s: want %s, have %s" % (what, want, given))
        wrong += want != given
    sys.exit(1 if wrong else 0)
