# SPDX-License-Identifier: Apache-2.0
"""LiteRT's interpreter as a target. See README.md."""

import ctypes
import importlib.metadata
import itertools
import os

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3")

import numpy  # noqa: E402
import onnx  # noqa: E402
from ai_edge_litert import interpreter  # noqa: E402
from lowering import CAPABILITIES, Lowering  # noqa: E402
from qdiff_worker import Capability, Rejected, Tensor, Unusable, Worker, parse_config, serve  # noqa: E402

RESOLVERS = {
    "xnnpack": interpreter.OpResolverType.AUTO,
    "builtin": interpreter.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "reference": interpreter.OpResolverType.BUILTIN_REF,
}

M_PERTURB = -6  # of glibc's malloc.h: what mallopt(M_PERTURB, byte) makes of new memory is the byte inverted
BYTES = 0xA5, 0x5A  # what qdiff's own buffers hold before the first and the second run of a case


def mark(made, old, new):
    """Outputs that hold the byte `old` alone hold `new`: what nobody writes is seen as such. Some are written at load."""
    for detail in made.get_output_details():
        if detail["shape"].size:  # a scalar comes as a copy
            held = made.tensor(detail["index"])().view(numpy.uint8)
            if (held == old).all():
                held[...] = new


class Litert(Worker):
    name = "litert"

    def open(self, version, config):
        settings = parse_config(config, kernels=tuple(RESOLVERS))
        self.resolver = RESOLVERS[settings["kernels"]]
        self.settings = "kernels=" + settings["kernels"]
        self.version = importlib.metadata.version("ai-edge-litert")
        if version and version != self.version:
            raise Unusable("LiteRT %s is installed here, not %s" % (self.version, version))
        ctypes.CDLL(None).mallopt(M_PERTURB, BYTES[0])  # memory holds BYTES[1] as if a run had been
        self.capabilities = [Capability(*row) for row in CAPABILITIES]

    def prepare(self, data):
        try:
            model = onnx.load_model_from_string(data)
            onnx.checker.check_model(model, full_check=True)
        except Exception as exception:
            raise Rejected("%s: %s" % (type(exception).__name__, exception), "check") from None
        lowered = Lowering(model)
        content = lowered.content()
        try:
            made = interpreter.Interpreter(
                model_content=content, num_threads=1, experimental_op_resolver_type=self.resolver
            )
            made.allocate_tensors()
        except (RuntimeError, ValueError) as error:
            raise Rejected(" ".join(str(error).split()), "prepare") from None
        return lowered, made, itertools.cycle(BYTES)

    def run(self, prepared, inputs, wanted):
        lowered, made, bytes_before = prepared
        new = next(bytes_before)
        mark(made, new ^ 0xFF, new)
        try:
            for detail, array in zip(made.get_input_details(), inputs):
                made.set_tensor(detail["index"], lowered.recoded(array))
            made.invoke()
        except (RuntimeError, ValueError) as error:
            raise Rejected(" ".join(str(error).split()), "run") from None
        outputs = [made.get_tensor(detail["index"]) for detail in made.get_output_details()]
        return [lowered.recoded_back(array, was_unsigned) for array, was_unsigned in zip(outputs, lowered.unsigned)]


serve(Litert)
