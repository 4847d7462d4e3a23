"""A QuantizeLinear behind MaxPool or Slice quantizes twice, with a rounding or an overflow in between"""
from frames.onnxruntime import Case, main

main([
    # 11264 are the bits of 1/16.
    Case('MaxPool of float16, zero point 5833', """<ir_version: 10, opset_import: ["" : 21]>
        case (float16[1,1,1,2] x) => (uint16[1,1,1,2] y)
        <float16 s = {11264}, uint16 z = {5833}>
        {
            p = MaxPool <kernel_shape = [1, 1]> (x)
            y = QuantizeLinear (p, s, z)
        }""",
        feed={'x': [-512, 4]}, want={'y': [0, 5897]}),
    Case('Slice of the least float32', """<ir_version: 10, opset_import: ["" : 21]>
        case (float[1] x) => (int8[1] y)
        <int64[1] starts = {0}, int64[1] ends = {1}, float s = {2658455991569831745807614120560689152.0}, int8 z = {2}>
        {
            p = Slice (x, starts, ends)
            y = QuantizeLinear (p, s, z)
        }""",
        feed={'x': [-3.4028234663852886e38]}, want={'y': [-126]}),
])
