# SPDX-License-Identifier: Apache-2.0
"""A qdiff worker in about twenty lines: see template.py beside this package, and targets/process/README.md.

Subclass Worker, define what your target can do, and end with `serve(MyWorker)`. Needs Python 3.8; tensors come and
go as NumPy arrays where NumPy knows the type, else as Tensor.
"""

from .protocol import (
    Capability,
    Crashed,
    Edge,
    Options,
    OutOfMemory,
    Quantized,
    Rejected,
    Skip,
    Tensor,
    Unusable,
)
from .serve import QuantizeRequest, Worker, parse_config, serve

__all__ = [
    "Capability",
    "Crashed",
    "Edge",
    "Options",
    "OutOfMemory",
    "Quantized",
    "QuantizeRequest",
    "Rejected",
    "Skip",
    "Tensor",
    "Unusable",
    "Worker",
    "parse_config",
    "serve",
]
