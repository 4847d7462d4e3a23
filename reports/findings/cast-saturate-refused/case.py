"""Cast refuses saturate and round_mode where the specification says that they do not apply"""
from frames.onnxruntime import Case, main

main([
    Case('saturate = 0 and float16', """<ir_version: 8, opset_import: ["" : 19]>
        case (float[1] x) => (float16[1] y)
        { y = Cast <to = 10, saturate = 0> (x) }""",
        feed={'x': [1.5]}, want={'y': [1.5]}),
])
