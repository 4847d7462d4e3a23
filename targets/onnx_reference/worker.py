# SPDX-License-Identifier: Apache-2.0
"""ONNX's own evaluator, onnx.reference.ReferenceEvaluator, as a target. See README.md."""

import warnings

import numpy
import onnx
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from qdiff_worker import Capability, Tensor, Unusable, Worker, serve
from qdiff_worker.importer import stage

warnings.filterwarnings("ignore")  # NumPy's, of division by zero and overflow

SINCE = {"Clip": "opset>=6", "DequantizeLinear": "opset>=19", "Resize": "opset>=11"}


def as_array(value):
    """An input as the evaluator takes it: bfloat16 and what is smaller as arrays of ml_dtypes."""
    if not isinstance(value, Tensor):
        return value
    return numpy_helper.to_array(TensorProto(data_type=value.data_type, dims=value.dims, raw_data=bytes(value.data)))


def as_tensor(array):
    made = numpy_helper.from_array(numpy.asarray(array))
    return Tensor(made.data_type, made.dims, made.raw_data)


class OnnxReference(Worker):
    name = "onnx-reference"
    capabilities = [
        Capability(op, SINCE.get(op, ""), "", "the evaluator has no implementation for older opsets" if op in SINCE else "")
        for op in sorted({schema.name for schema in onnx.defs.get_all_schemas() if not schema.domain})
    ]

    def open(self, version, config):
        if config:
            raise Unusable("onnx-reference has no settings; leave out [%s]" % config)
        self.version = onnx.__version__
        if version and version != self.version:
            raise Unusable("onnx %s is installed here, not %s" % (self.version, version))

    def prepare(self, data):
        model = stage("load", lambda: onnx.load_model_from_string(bytes(data)))
        return stage("load", lambda: ReferenceEvaluator(model))

    def run(self, evaluator, inputs, wanted):
        feeds = dict(zip(evaluator.input_names, map(as_array, inputs)))
        return [as_tensor(one) for one in stage("run", lambda: evaluator.run(None, feeds))]


serve(OnnxReference)
