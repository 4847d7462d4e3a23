"""tinygrad takes the scales of Resize-10 for roi"""
import struct

from frames.tinygrad import check, tensor
from frames.tinygrad_model import FLOAT, field, initializer, model, run_model

X = {"x": tensor([[[[5.0]]]])}
SCALES = initializer("s", FLOAT, [4], field(9, struct.pack("<4f", 1, 1, 1, 2)))
GIVEN, WANT = {"x": (FLOAT, [1, 1, 1, 1])}, (FLOAT, [1, 1, 1, 2])

check(("one pixel, twice as wide", [[[[5.0, 5.0]]]], run_model(model("Resize", 10, "x s", GIVEN, WANT, [SCALES]), X)))
