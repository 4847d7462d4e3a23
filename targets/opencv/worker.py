# SPDX-License-Identifier: Apache-2.0
"""OpenCV's DNN module, cv2.dnn, as a target. See README.md."""

import ctypes
import importlib.metadata
import os
import re

import cv2
import numpy
from qdiff_worker import Capability, Rejected, Tensor, Unusable, Worker, parse_config, serve, wire

ENGINES = {"new": cv2.dnn.ENGINE_NEW, "classic": cv2.dnn.ENGINE_CLASSIC}
GRAPH, INPUT, OUTPUT, NAME = 7, 11, 12, 1  # fields of ModelProto, GraphProto and ValueInfoProto

# What the new engine has layers and element types for, by the layers' own lists. What has them and fails is a finding.
TYPES = "bfloat16,float8,float8-scale,float4,int4,int2"
NO_TYPES = "the importer has no element type for bfloat16, float8, float4 and integers below a byte"
OPS = """
    Add AveragePool BatchNormalization Cast Clip Concat ConstantOfShape Conv ConvTranspose Div Erf Exp Expand Flatten Gather
    GlobalAveragePool GlobalMaxPool Greater HardSigmoid HardSwish Identity LeakyRelu Less Max Min Mul Not Pad Pow QLinearConv QLinearMatMul
    Reciprocal ReduceMax ReduceMean ReduceSum Reshape Resize Shape Sigmoid Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose Unsqueeze
    com.microsoft:QGemm com.microsoft:QLinearAdd com.microsoft:QLinearAveragePool com.microsoft:QLinearConcat
    com.microsoft:QLinearGlobalAveragePool com.microsoft:QLinearLeakyRelu com.microsoft:QLinearMul com.microsoft:QLinearSigmoid
    com.microsoft:QLinearSoftmax
"""
NARROW = {  # these layers list their types, and leave these out
    "Abs": "x-u8,x-s8,x-int16,x-s32,x-s64",
    "DepthToSpace": "int16,x-s32,x-bool",
    "DequantizeLinear": "int16",
    "Equal": "x-bool",
    "Gemm": "x-s32,x-s64",
    "MatMul": "x-s32",
    "MaxPool": "x-u8,x-s8,x-f64",
    "QuantizeLinear": "int16,int32-input",
    "Range": "int16",
    "Relu": "x-u8,x-s8,x-int16,x-s32,x-s64",
    "SpaceToDepth": "int16,x-s32,x-bool",
    "Where": "x-bool",
    "com.microsoft:DequantizeLinear": "int16",
    "com.microsoft:QuantizeLinear": "int16,int32-input",
}
CAPABILITIES = [Capability(op, "", TYPES, NO_TYPES) for op in OPS.split()] + [
    Capability(op, "", TYPES + "," + others, NO_TYPES + "; and the layer none for " + others) for op, others in NARROW.items()
]


def names(model, kind):
    """Those of the graph's inputs or outputs, in their order."""
    graphs = [value for number, value in wire.fields(memoryview(model)) if number == GRAPH]
    values = [dict(wire.fields(value)) for graph in graphs for number, value in wire.fields(graph) if number == kind]
    return [str(value.get(NAME, b""), "utf-8") for value in values]


class OpenCv(Worker):
    name = "opencv"

    def open(self, version, config):
        settings = parse_config(config, engine=tuple(ENGINES))
        self.engine = ENGINES[settings["engine"]]
        self.settings = ",".join("%s=%s" % setting for setting in settings.items())
        self.version = importlib.metadata.version("opencv-python-headless")
        if version and version != self.version:
            raise Unusable("OpenCV %s is installed here, not %s" % (self.version, version))
        # Of a model in memory readNetFromONNX(buffer, ENGINE_CLASSIC) takes the new engine first; this variable decides.
        os.environ.update(OPENCV_FORCE_DNN_ENGINE=str(self.engine))
        self.capabilities = CAPABILITIES
        self.trim = ctypes.CDLL(None).malloc_trim
        self.thrown = []  # what OpenCV throws, also where it catches it
        cv2.setNumThreads(1)
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
        cv2.redirectError(lambda status, function, text, file, line: self.thrown.append("%s (%s)" % (text, function)))

    def stage(self, name, action):
        """What OpenCV throws is a refusal, in its own words: one line."""
        self.thrown.clear()
        try:
            return action()
        except cv2.error as error:
            self.reject(name, error)

    def reject(self, name, other):
        text = self.thrown[0] if self.thrown else str(other)
        raise Rejected(" ".join(re.sub(r"OpenCV\(\S+\) \S+ error: ", "", text).replace("\n", " ").split()), name) from None

    def prepare(self, data):
        model = numpy.frombuffer(data, numpy.uint8)
        net = self.stage("load", lambda: cv2.dnn.readNetFromONNX(model, engine=self.engine))
        if net.empty():
            self.reject("load", "unsupported operations: the net is empty")
        return net, names(data, INPUT), names(data, OUTPUT)

    def run(self, prepared, inputs, wanted):
        net, names_in, names_out = prepared
        if any(isinstance(one, Tensor) for one in inputs):
            raise Rejected("an input has a type that NumPy lacks", "input")
        if any(one.dtype.itemsize == 8 and one.dtype.kind in "iu" and one.size and (one != one.astype(numpy.int32)).any() for one in inputs):
            raise Rejected("cv2 makes int32 of an array of 64-bit integers, and a value does not fit", "input")
        for name, value in zip(names_in, inputs):
            self.stage("input", lambda: net.setInput(value, name))
        made = self.stage("run", lambda: net.forward(names_out))
        self.trim(0)  # walks the heap: one that this case has damaged ends the process here, and not in a later case
        return [self.output(array, tensor) for array, tensor in zip(made, wanted)]

    def output(self, array, wanted):
        """The binding makes None of a tensor without elements, whose shape is lost: it is taken for the right one."""
        if array is None and 0 in wanted.dims:
            return Tensor(wanted.data_type, wanted.dims, b"")
        if array is None:
            raise Rejected("forward gave no tensor", "run")
        return array


serve(OpenCv)
