"""ReduceMax of no integers gives 0"""
from frames.onnxruntime import Case, main

main([
    Case('the greatest of no int64', """<ir_version: 10, opset_import: ["" : 21]>
        case (int64[0] x) => (int64[1] y) { y = ReduceMax (x) }""",
        feed={'x': []}, want={'y': [-9223372036854775808]}),
    Case('the greatest of no int8, by row', """<ir_version: 10, opset_import: ["" : 21]>
        case (int8[2,0] x, int64[1] axes) => (int8[2,1] y) { y = ReduceMax (x, axes) }""",
        feed={'x': [[], []], 'axes': [1]}, want={'y': [[-128], [-128]]}),
])
