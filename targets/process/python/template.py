#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker to start from: copy it, then  qdiff run --target ./mine.py --expectations mine.tsv

What it runs here is Identity; put your runtime in prepare and run. It looks at no rule of the operator, so the gate
finds that it takes the Identity cases that have to be refused (accepts-invalid).
"""

from qdiff_worker import Capability, Rejected, Worker, serve


class Mine(Worker):
    name, version = "mine", "0.1"
    capabilities = [Capability("Identity", excludes="int4,int2,float4", reason="whole bytes only")]

    def prepare(self, model):
        if b"Identity" not in model:  # your runtime: session = mine.load(model)
            raise Rejected("only Identity")
        return None

    def run(self, prepared, inputs, wanted):
        return [inputs[0]]  # your runtime: return prepared.run(inputs)


serve(Mine)
