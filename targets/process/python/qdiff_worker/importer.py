"""What workers around torch-mlir's ONNX importer share: torch-mlir itself, and IREE."""

from .protocol import Answer, Capability, Rejected

# Established by running the smoke level; README.md says how. What has a conversion and fails is a finding.
TYPES = "bfloat16,float8,float8-scale,float4,int4,int2"
NO_TYPES = "no way through importer, JIT and NumPy for bfloat16, float8, float4 and integers below a byte"
NO_FORM = "; there is no conversion without a zero point and for blocked parameters"
CAPABILITIES = [
    Capability(op, "", TYPES, NO_TYPES)
    for op in (
        "Add AveragePool Cast Clip Concat Conv ConvInteger ConvTranspose DepthToSpace Div DynamicQuantizeLinear "
        "Expand Flatten Gather Gemm GlobalAveragePool Identity LeakyRelu MatMul MatMulInteger MaxPool Mul Pad "
        "QLinearConv QLinearMatMul ReduceMax ReduceMean Relu Reshape Sigmoid Slice Softmax SpaceToDepth Split "
        "Squeeze Sub Tanh Tile Transpose Unsqueeze Where"
    ).split()
] + [
    Capability(op, "", TYPES + ",no-zero-point,blocked", NO_TYPES + NO_FORM)
    for op in ("QuantizeLinear", "DequantizeLinear")
]


def stage(name, action):
    try:
        return action()
    except (MemoryError, Answer):
        raise
    except Exception as exception:
        raise Rejected("%s: %s" % (type(exception).__name__, exception), name) from None
