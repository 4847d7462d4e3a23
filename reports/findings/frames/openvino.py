# Needs openvino and onnx.
# exit: 0 OpenVINO does as it should, 1 it does not
import ml_dtypes
import numpy
import openvino

from frames.apart import apart
from frames.model import model_of
from frames.rows import check

# Floats stay float32, and the float operand of a product with weights in codes is not quantized.
SETTINGS = {
    "INFERENCE_PRECISION_HINT": "f32",
    "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0",
    "INFERENCE_NUM_THREADS": "1",
    "NUM_STREAMS": "1",
}


def tensor_of(x):
    bits = x.dtype == ml_dtypes.bfloat16
    return openvino.Tensor(x.view(numpy.uint16), x.shape, openvino.Type.bf16) if bits else openvino.Tensor(x)


def array_of(tensor):
    own = {"bf16": ml_dtypes.bfloat16, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}.get(tensor.element_type.get_type_name())
    return tensor.data.view(own).astype(numpy.float32) if own else tensor.data.copy()


def model(text, *inputs, opset=21, valid=True, **constants):
    """A model and its inputs, which are arrays."""
    return model_of(text, opset, constants, valid).SerializeToString(), inputs


def infer(models, lpt):
    settings = {**SETTINGS, "LP_TRANSFORMS_MODE": "YES" if lpt else "NO"}
    core, last, request = openvino.Core(), None, None
    for one, inputs in models:
        if one != last:
            request = None  # before the next one is made
            request = core.compile_model(core.read_model(one), "CPU", settings).create_infer_request()
        request.infer([tensor_of(x) for x in inputs])
        last = one
    return array_of(request.get_output_tensor(0))


def runs(models, lpt=True):
    """The first output of the last of some models, which run one after the other in one process, the same one without a new start."""
    return apart(infer, models, lpt)


def run(text, *inputs, lpt=True, **rest):
    """The first output of a graph."""
    return runs([model(text, *inputs, **rest)], lpt)
