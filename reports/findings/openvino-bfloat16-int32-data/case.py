"""OpenVINO reads a bfloat16 initializer in int32_data as the number that its bits are"""
import onnx

from frames.openvino import check, ml_dtypes, model, numpy, runs


def in_int32_data(text, *inputs, **bits):
    """A model and its inputs; of the constants, which are bfloat16 scalars, the bits are given."""
    constants = {name: numpy.array(0, ml_dtypes.bfloat16) for name in bits}
    loaded = onnx.load_from_string(model(text, *inputs, opset=23, **constants)[0])
    for one in loaded.graph.initializer:
        one.ClearField("raw_data")
        one.int32_data.append(bits[one.name])
    return loaded.SerializeToString(), inputs


CAST = "() => (float y) { y = Cast<to = 1>(four) }"
QUANTIZE = "(float[2] x) => (uint8[2] y) { y = QuantizeLinear(x, four) }"

check(
    ("4 as float32", 4, runs([in_int32_data(CAST, four=0x4080)])),
    ("8 and 100 in steps of 4", [2, 25], runs([in_int32_data(QUANTIZE, numpy.float32([8, 100]), four=0x4080)])),
)
