"""A QuantizeLinear of float16 behind MaxPool quantizes twice, through float16"""
from frames.onnxruntime import Case, main

main([  # 11264 are the bits of 1/16
    Case('zero point 5833', """<ir_version: 10, opset_import: ["" : 21]>
        case (float16[1,1,1,2] x) => (uint16[1,1,1,2] y)
        <float16 s = {11264}, uint16 z = {5833}>
        {
            p = MaxPool <kernel_shape = [1, 1]> (x)
            y = QuantizeLinear (p, s, z)
        }""",
        feed={'x': [-512, 4]}, want={'y': [0, 5897]}),
])
