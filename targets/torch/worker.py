# SPDX-License-Identifier: Apache-2.0
"""PyTorch's quantized tensors and their kernels as a target. See README.md."""

import importlib.metadata
import warnings

import torch
from graph import Graph, from_torch, to_torch
from kernels import OPERATORS
from qdiff_worker import Capability, Rejected, Skip, Tensor, Unusable, Worker, parse_config, serve

# Types that no tensor of torch has, or no operator.
TYPES = "float8,float8-scale,float4,int4,int2"
NO_TYPES = "no kernels for float8, float4 and integers below a byte"
PLAIN = """
    DequantizeLinear com.microsoft:DequantizeLinear com.microsoft:QLinearAveragePool
    com.microsoft:QLinearGlobalAveragePool com.microsoft:QLinearReduceMean
    Abs Add AveragePool BatchNormalization Cast Clip Concat ConstantOfShape Conv ConvTranspose DepthToSpace Div Equal Erf Exp Expand Flatten
    Gather Gemm GlobalAveragePool GlobalMaxPool Greater HardSwish Identity LeakyRelu Less MatMul Max MaxPool Min Mul Not Pad Pow Range
    Reciprocal ReduceMax ReduceSum Relu Reshape Shape Sigmoid Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose
    Unsqueeze Where
"""
NARROW = (  # operator, what it needs, what it excludes, why
    ("QuantizeLinear", "", "int32-input,x-f64", "quantize_per_tensor and quantize_per_channel have floats only"),
    ("com.microsoft:QuantizeLinear", "", "int32-input,x-f64", "quantize_per_tensor and quantize_per_channel have floats only"),
    ("ReduceMean", "", "x-s32,x-s64", "mean has floats only"),
    ("QLinearConv", "x-u8,w-s8", "auto-pad", "quantized::conv has uint8 activations, int8 filters, and padding by numbers"),
    ("QLinearMatMul", "x-u8,w-s8", "", "quantized::linear has uint8 rows and an int8 matrix"),
    ("QLinearMatMul", "x-u8,w-u8", "", "quantized::matmul has one type"),
    ("QLinearMatMul", "x-s8,w-s8", "", "quantized::matmul has one type"),
    ("MatMulInteger", "w-s8,no-zero-point", "", "torch._int_mm has no zero points, and int8 on the right"),
    ("com.microsoft:QGemm", "x-u8,w-s8", "", "quantized::linear has uint8 rows and an int8 matrix"),
    ("com.microsoft:QLinearAdd", "", "mixed-sign", "quantized::add has one type"),
    ("com.microsoft:QLinearMul", "", "mixed-sign", "quantized::mul has one type"),
    ("com.microsoft:QLinearConcat", "", "mixed-sign", "quantized::cat has one type"),
    ("com.microsoft:QLinearLeakyRelu", "", "mixed-sign", "quantized::leaky_relu has one type"),
    ("com.microsoft:QLinearSigmoid", "", "mixed-sign", "quantized::sigmoid has one type"),
    ("com.microsoft:QLinearSoftmax", "", "mixed-sign", "quantized::softmax has one type"),
)
CAPABILITIES = [Capability(op, "", TYPES, NO_TYPES) for op in PLAIN.split()]
CAPABILITIES += [Capability(op, needs, (TYPES + "," + excludes).rstrip(","), why) for op, needs, excludes, why in NARROW]


class Torch(Worker):
    name = "torch"

    def open(self, version, config):
        engines = torch.backends.quantized.supported_engines
        named = [engine for engine in ("x86", "fbgemm", "onednn", "qnnpack") if engine in engines]
        settings = parse_config(config, engine=tuple(named))
        self.settings = "engine=" + settings["engine"]
        self.version = importlib.metadata.version("torch").partition("+")[0]
        if version and version != self.version:
            raise Unusable("torch %s is installed here, not %s" % (self.version, version))
        warnings.filterwarnings("ignore")
        torch.backends.quantized.engine = settings["engine"]
        torch.set_num_threads(1)
        self.capabilities = CAPABILITIES

    def stage(self, name, action):
        try:
            with torch.no_grad():
                return action()
        except (MemoryError, Skip):
            raise
        except NotImplementedError as exception:  # in torch's own words: no kernel for this type or kind of tensor
            raise Skip(str(exception).partition("\n")[0].partition(". ")[0], OPERATORS) from None
        except Exception as exception:
            text = str(exception).split("\nException raised from")[0]
            raise Rejected("%s: %s" % (type(exception).__name__, " ".join(text.split())), name) from None

    def prepare(self, data):
        return self.stage("load", lambda: Graph(data))

    def run(self, graph, inputs, wanted):
        tensors = [Tensor.of(one) for one in inputs]
        given = [to_torch(one.data_type, one.dims, one.data) for one in tensors]
        return [from_torch(one) for one in self.stage("run", lambda: graph.run(given))]


serve(Torch)
