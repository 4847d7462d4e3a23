"""Cast to float8e8m0 is refused, or its output is said to be int2"""
from frames.onnxruntime import Case, main

main([
    Case('Cast to float8e8m0', """<ir_version: 12, opset_import: ["" : 24]>
        case (float[4] input) => (float8e8m0[?] y)
        { y = Cast <to = 24> (input) }""",
        feed={'input': [1.0, 2.0, 4.0, 8.0]}, want={'y': [127, 128, 129, 130]}),
])
