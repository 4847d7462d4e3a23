"""quantized::conv with group or stride 0 ends the process"""
import subprocess
import sys

from frames.torch import check

CODE = """
import torch
x = torch._make_per_tensor_quantized_tensor(torch.ones(1, 1, 2, 2, dtype=torch.uint8), 1.0, 0)
w = torch._make_per_tensor_quantized_tensor(torch.ones(1, 1, 1, 1, dtype=torch.int8), 1.0, 0)
torch.backends.quantized.engine = "fbgemm"
try:
    packed = torch.ops.quantized.conv2d_prepack(w, None, [%d, %d], [0, 0], [1, 1], %d)
    torch.ops.quantized.conv2d(x, packed, 1.0, 0)
except Exception as exception:
    print(exception)
"""


def ends(stride, group):
    return subprocess.run([sys.executable, "-c", CODE % (stride, stride, group)], capture_output=True, check=False).returncode


check(("stride 0 is refused", 0, ends(0, 1)), ("group 0 is refused", 0, ends(1, 0)))
