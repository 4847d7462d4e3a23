# SPDX-License-Identifier: Apache-2.0
"""A quantizer for tests: the model's option `extra` names what it answers."""

import os
import struct

from qdiff_worker import Capability, Crashed, Edge, Quantized, Rejected, Skip, Worker, serve


class Quantizer(Worker):
    name, version = "quantizer", "1"
    capabilities = [Capability("Identity")]
    quantizes = ["scheme", "extra", "per_channel"]

    def open(self, version, config):
        if config == "none=1":
            self.quantizes = []

    def quantize(self, request):
        options = request.options
        what = options.extra[0] if options.extra else "What=echo"
        return getattr(self, what.partition("=")[2])(request)

    def echo(self, request):
        """Everything that came, as text where the model should be."""
        options = request.options
        parts = [request.model.decode()]
        parts += ["%s %g %g" % (name, low, high) for name, (low, high) in sorted(request.ranges.items())]
        parts += ["%s" % [(t.data_type, t.dims, bytes(t.data).hex()) for t in one] for one in request.calibration]
        parts += ["%s=%s" % item for item in sorted(vars(options).items())]
        return Quantized(model="\n".join(parts).encode(), ignored=["reduce_range"])

    def edges(self, request):
        return Quantized(
            edges=[
                Edge("x", "conv", 1, 3, -127, 127, [0.5, 0.25], [0, -3], axis=-1, group=7),
                Edge("y"),
            ]
        )

    def uneven(self, request):
        return Quantized(edges=[Edge("x", data_type=3, scale=[0.5], zero_point=[])])

    def nameless(self, request):
        return Quantized(edges=[Edge("")])

    def nothing(self, request):
        return Quantized()

    def both(self, request):
        return Quantized(model=b"x", edges=[Edge("x")])

    def refuse(self, request):
        raise Rejected("rmin above rmax", "ranges")

    def fall(self, request):
        raise Crashed("AssertionError at tool.py:7 in f: ")

    def skip(self, request):
        raise Skip("slow", "https://example.org/1")

    def segv(self, request):
        os.kill(os.getpid(), 11)

    def memory(self, request):
        raise MemoryError

    def hang(self, request):
        import time

        time.sleep(1000)


serve(Quantizer)
